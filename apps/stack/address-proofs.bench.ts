import { GrpcProverClient } from '@fresnel/adapters/prover-client';
import { MAX_ADDRESSES } from '@fresnel/contracts/rpc';
import { toBase58, toSlot } from '@fresnel/domain/primitives';
import { type Bench, type BenchMeasurement, sendHttp } from '@fresnel/testing/generic';
import { provideSharedServers, startTestRedis } from '@fresnel/testing/servers';
import { FresnelProcess } from '@fresnel/testing/stack';
import { createTestDatabase, setIndexedSlot } from '@fresnel/testing/store';
import { fillRedis, testAddress, testAddressTree } from '@fresnel/testing/trees';

const ADDRESSES = 20_000;
/** Requests of a round, one after another. */
const REQUESTS = 100;
const TREE = testAddressTree('addressV1');
const SLOT = toSlot(1);

export const bench: Bench = {
  title: 'New-address proofs by the thousand, from the prover and through the gateway',
  data: `one tree with ${ADDRESSES.toLocaleString('en')} addresses in Redis, ${MAX_ADDRESSES} addresses a request, one request at a time; caller, gateway, prover, Redis and Postgres on the same machine`,
  unit: 'proofs',
  prepare: async () => {
    const stop = await provideSharedServers();
    const redis = await startTestRedis();
    const database = await createTestDatabase();
    await setIndexedSlot(database.dataSource, SLOT);
    await fillRedis(redis.url, TREE, ADDRESSES, SLOT);
    const servers = { REDIS_URL: redis.url, HEALTH_PORT: '0' };
    const prover = FresnelProcess.start([], { ...servers, PROVER_ROLE: 'reader', PROVER_PORT: '0' }, 'prover');
    const [, port] = await prover.waitFor(/"port":(\d+),"msg":"prover listening"/);
    const address = `127.0.0.1:${port}`;
    const gateway = FresnelProcess.start(
      [],
      { ...servers, DATABASE_URL: database.url, PROVER_URL: address, DEFAULT_ADDRESS_TREE: toBase58(TREE.tree) },
      'gateway',
    );
    const url = await gateway.url();
    const client = new GrpcProverClient({ address, deadlineMs: 10_000 });
    let round = 0;
    const newAddresses = () => {
      const first = 1e6 + round++ * MAX_ADDRESSES;
      return Array.from({ length: MAX_ADDRESSES }, (_, at) => testAddress(first + at));
    };
    return {
      ways: [
        {
          name: 'the gateway, over HTTP',
          run: () =>
            measure(
              () => {
                const params = newAddresses().map(toBase58);
                return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getMultipleNewAddressProofs', params });
              },
              (body) => sendHttp(url, { body, reusesConnection: true }),
              ({ status, text }) => status === 200 && text.includes('"value":[{'),
            ),
        },
        {
          name: 'the prover, over gRPC',
          run: () =>
            measure(
              newAddresses,
              (addresses) => client.proveNewAddresses(TREE.tree, addresses, SLOT),
              ({ records }) => records.length > 0,
            ),
        },
      ],
      close: async () => {
        client.close();
        await Promise.all([gateway.end('SIGTERM'), prover.end('SIGTERM')]);
        await Promise.all([redis.drop(), database.drop()]);
        await stop();
      },
    };
  },
};

/** Sends requests one after another, and measures only the time until their answers are received. */
async function measure<Request, Answer>(
  prepare: () => Request,
  ask: (request: Request) => Promise<Answer>,
  isComplete: (answer: Answer) => boolean,
): Promise<BenchMeasurement> {
  let seconds = 0;
  for (let count = 0; count < REQUESTS; count++) {
    const request = prepare();
    const startedAt = performance.now();
    const answer = await ask(request);
    seconds += (performance.now() - startedAt) / 1000;
    if (!isComplete(answer)) throw new Error('an answer does not have all proofs');
  }
  return { count: REQUESTS * MAX_ADDRESSES, seconds };
}
