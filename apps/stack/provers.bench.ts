import { GrpcProverClient } from '@fresnel/adapters/prover-client';
import { toSlot } from '@fresnel/domain/primitives';
import { type Bench } from '@fresnel/testing/generic';
import { startTestRedis } from '@fresnel/testing/servers';
import { FresnelProcess } from '@fresnel/testing/stack';
import { fillRedis, testAddress, testAddressTree } from '@fresnel/testing/trees';

const ADDRESSES = 20_000;
const REQUESTS = 5_000;
const ADDRESSES_PER_REQUEST = 8;
const CONCURRENCY = 64;
const TREE = testAddressTree('addressV1');

export const bench: Bench = {
  title: 'Proofs served by several provers',
  data: `one tree with ${ADDRESSES.toLocaleString('en')} addresses in one Redis, ${ADDRESSES_PER_REQUEST} addresses a request, ${CONCURRENCY} requests at once; caller, provers and Redis on the same machine`,
  unit: 'proofs',
  prepare: async () => {
    const redis = await startTestRedis();
    await fillRedis(redis.url, TREE, ADDRESSES, toSlot(1));
    const provers = [0, 1].map(() =>
      FresnelProcess.start(
        [],
        { PROVER_ROLE: 'reader', REDIS_URL: redis.url, PROVER_PORT: '0', HEALTH_PORT: '0' },
        'prover',
      ),
    );
    const ports = await Promise.all(
      provers.map(async (prover) => (await prover.waitFor(/"port":(\d+),"msg":"prover listening"/))[1]),
    );
    const clients = [1, 2].map((count) => {
      const address = ports
        .slice(0, count)
        .map((port) => `127.0.0.1:${port}`)
        .join();
      return new GrpcProverClient({ address, deadlineMs: 10_000 });
    });
    return {
      ways: clients.map((client, at) => ({ name: `${at + 1} prover${at > 0 ? 's' : ''}`, run: () => prove(client) })),
      close: async () => {
        for (const client of clients) client.close();
        await Promise.all(provers.map((prover) => prover.end('SIGTERM')));
        await redis.drop();
      },
    };
  },
};

async function prove(client: GrpcProverClient): Promise<number> {
  let remaining = REQUESTS;
  const sendCalls = async () => {
    for (; remaining > 0; remaining--) {
      const addresses = Array.from({ length: ADDRESSES_PER_REQUEST }, (_, at) =>
        testAddress(1e6 + remaining * ADDRESSES_PER_REQUEST + at),
      );
      await client.proveNewAddresses(TREE.tree, addresses, toSlot(1));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, sendCalls));
  return REQUESTS * ADDRESSES_PER_REQUEST;
}
