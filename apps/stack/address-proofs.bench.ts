import { GrpcProverClient } from '@fresnel/adapters/prover-client';
import { MAX_ADDRESSES } from '@fresnel/contracts/rpc';
import { toBase58, toSlot } from '@fresnel/domain/primitives';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type Bench, type BenchMeasurement } from '@fresnel/testing/generic';
import autocannon from 'autocannon';
import { blockhashAt } from '@fresnel/testing/chain';
import { provideSharedServers, startTestRedis } from '@fresnel/testing/servers';
import { FresnelProcess } from '@fresnel/testing/stack';
import { createTestDatabase, setIndexedSlot } from '@fresnel/testing/store';
import { fillRedis, testAddress, testAddressTree } from '@fresnel/testing/trees';
import { startSkeleton } from './address-proofs.skeleton';

const ADDRESSES = 20_000;
/** Requests of a round, one after another. */
const REQUESTS = 100;
const TREE = testAddressTree('addressV1');
const SLOT = toSlot(1);
/** A proof has 32 hashes as text. */
const MIN_PROOF_BYTES = 1_000;

/** Of single proofs, the requests that are sent without pause. */
const CONNECTIONS = [1, 32];
const SECONDS = 4;
const HOSTS = 'caller, gateway, prover, Redis and Postgres on the same machine';

/** A gateway and a prover with one tree. */
interface Services {
  url: string;
  /** The address of the prover. */
  address: string;
  databaseUrl: string;
  redisUrl: string;
  close: () => Promise<void>;
}

async function startServices(): Promise<Services> {
  const stop = await provideSharedServers();
  const redis = await startTestRedis();
  const database = await createTestDatabase();
  await setIndexedSlot(database.dataSource, SLOT, { blockhash: blockhashAt(SLOT) });
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
  return {
    url: await gateway.url(),
    address,
    databaseUrl: database.url,
    redisUrl: redis.url,
    close: async () => {
      await Promise.all([gateway.end('SIGTERM'), prover.end('SIGTERM')]);
      await Promise.all([redis.drop(), database.drop()]);
      await stop();
    },
  };
}

const byThousand: Bench = {
  title: 'New-address proofs by the thousand, from the prover and through the gateway',
  data: `one tree with ${ADDRESSES.toLocaleString('en')} addresses in Redis, ${MAX_ADDRESSES} addresses a request, one request at a time; ${HOSTS}`,
  unit: 'proofs',
  prepare: async () => {
    const { url, address, close } = await startServices();
    const http = await CountingHttpClient.connect(url);
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
              (body) => http.post(body),
              (bytes) => bytes > MIN_PROOF_BYTES * MAX_ADDRESSES,
            ),
        },
        {
          name: 'the prover, over gRPC',
          run: () =>
            measure(
              newAddresses,
              (addresses) => client.proveNewAddresses(TREE.tree, addresses, SLOT),
              ({ elements }) => elements.length > 0,
            ),
        },
      ],
      close: async () => {
        client.close();
        http.close();
        await close();
      },
    };
  },
};

const single: Bench = {
  title: 'New-address proofs through the gateway, one address a request',
  data: `one tree with ${ADDRESSES.toLocaleString('en')} addresses in Redis; ${HOSTS}`,
  unit: 'proofs',
  prepare: async () => {
    const services = await startServices();
    const skeleton = await startSkeleton(services.databaseUrl, services.redisUrl);
    const requests = Array.from({ length: 1_000 }, (_, id) => {
      const params = [toBase58(testAddress(1e6 + id))];
      return { body: JSON.stringify({ jsonrpc: '2.0', id, method: 'getMultipleNewAddressProofs', params }) };
    });
    const headers = { 'content-type': 'application/json' };
    const ask = async (url: string, connections: number): Promise<BenchMeasurement> => {
      const load = { url, method: 'POST', headers, connections, duration: SECONDS, workers: 1 } as const;
      const { requests: done, non2xx, errors, duration, latency } = await autocannon({ ...load, requests });
      if (non2xx + errors > 0) throw new Error(`${non2xx} answers were errors, ${errors} requests failed`);
      return { count: done.total, seconds: duration, details: `p50 ${latency.p50} ms, p99 ${latency.p99} ms` };
    };
    const ways = CONNECTIONS.flatMap((count) => [
      { name: `${count} at once`, run: () => ask(services.url, count) },
      { name: `${count} at once, only the hops between the processes`, run: () => ask(skeleton.url, count) },
    ]);
    const close = async () => {
      skeleton.close();
      await services.close();
    };
    return { ways, close };
  },
};

export const benches = [byThousand, single];

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

/**
 * Sends one request after another, and only counts the bytes of the responses. It reads all into the same memory: a client that
 * allocates memory for responses of a megabyte takes CPU from the servers to collect it.
 */
class CountingHttpClient {
  private head = '';
  private isBody = false;
  private missing = 0;
  private size = 0;
  private settle: { resolve: (bytes: number) => void; reject: (error: Error) => void } | null = null;

  private constructor(
    private readonly socket: Socket,
    private readonly host: string,
  ) {
    socket.on('error', (error) => this.settle?.reject(error));
  }

  static async connect(url: string): Promise<CountingHttpClient> {
    const { hostname, port, host } = new URL(url);
    let client: CountingHttpClient | undefined;
    const onread = {
      buffer: Buffer.alloc(64 * 1024),
      callback: (length: number, bytes: Uint8Array) => {
        client?.receive(Buffer.from(bytes.buffer, bytes.byteOffset, length));
        return true;
      },
    };
    const socket = connect({ host: hostname, port: Number(port), noDelay: true, onread });
    await once(socket, 'connect');
    return (client = new CountingHttpClient(socket, host));
  }

  /** Returns the bytes of the body. @throws Error for a status other than 200 */
  post(body: string): Promise<number> {
    const head = `POST / HTTP/1.1\r\nhost: ${this.host}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
    return new Promise((resolve, reject) => {
      this.settle = { resolve, reject };
      this.socket.write(head + body);
    });
  }

  private receive(bytes: Buffer): void {
    if (this.isBody) this.count(bytes.length);
    else {
      this.head += bytes.toString('latin1');
      const end = this.head.indexOf('\r\n\r\n');
      if (end < 0) return;
      const length = /^HTTP\/1.1 200 .*content-length: (\d+)/is.exec(this.head.slice(0, end))?.[1];
      if (length === undefined) return this.settle?.reject(new Error(`unexpected response: ${this.head}`));
      this.size = this.missing = Number(length);
      this.isBody = true;
      const received = this.head.length - end - 4;
      this.head = '';
      this.count(received);
    }
  }

  private count(received: number): void {
    this.missing -= received;
    if (this.missing > 0) return;
    this.isBody = false;
    this.settle?.resolve(this.size);
  }

  close(): void {
    this.socket.destroy();
  }
}
