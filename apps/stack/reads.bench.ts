import { encodeAccountCursor, encodeHolderCursor, encodeSignatureCursor } from '@fresnel/contracts/rpc';
import { decodeBase58, encodeBase58, toHash, toPubkey, toSignature } from '@fresnel/domain/primitives';
import { FilledDatabase, startTestGateway } from '@fresnel/testing/gateway';
import { type Bench, type BenchMeasurement } from '@fresnel/testing/generic';
import { startTestRedis } from '@fresnel/testing/servers';
import { FresnelProcess } from '@fresnel/testing/stack';
import {
  fillAccounts,
  filledKey,
  fillHolders,
  fillSignatures,
  fillTransactions,
  insertTree,
  listUnspentAccounts,
  setIndexedSlot,
} from '@fresnel/testing/store';
import { Body, Controller, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import autocannon from 'autocannon';
import { Pool } from 'pg';

const ROWS = 1_000_000;
const CONNECTIONS = 32;
const SECONDS = 4;
const PAGE = 100;
/** Different requests of a way. */
const REQUESTS = 1_000;
const TREE = toPubkey(Buffer.alloc(32, 1));

const DATA = `${ROWS.toLocaleString('en')} accounts, signatures of one owner and holders of one mint; ${CONNECTIONS} connections that send requests without pause; load generator, gateway and Postgres on the same machine`;

/** A JSON-RPC call without its envelope. */
interface Call {
  method: string;
  params: unknown;
}

/** The rows of all benches. */
const FILLED = new FilledDatabase(async (database) => {
  await insertTree(database, { tree: TREE, queue: TREE, treeType: 1 });
  // Accounts of even numbers are spent.
  await fillAccounts(database, TREE, 2 * ROWS);
  await listUnspentAccounts(database);
  await fillTransactions(database, ROWS);
  await fillSignatures(database, 'owner_signatures', ROWS, 1);
  await fillHolders(database, ROWS, 1);
  await setIndexedSlot(database, 2 * ROWS);
});

function benchOf(title: string, calls: readonly Call[], options: { isLast?: boolean } = {}): Bench {
  return {
    title: `Reads over HTTP: ${title}`,
    data: DATA,
    unit: 'responses',
    prepare: async () => {
      const database = await FILLED.open();
      const redis = await startTestRedis();
      const gateway = await startTestGateway({ databaseUrl: database.url });
      const skeleton = await startSkeleton(database.url);
      // It needs no prover for these calls.
      const servers = { DATABASE_URL: database.url, REDIS_URL: redis.url, PROVER_URL: '127.0.0.1:1' };
      const service = FresnelProcess.start([], servers, 'gateway');
      const serviceUrl = await service.url(300_000);
      return {
        ways: [
          { name: 'gateway', run: () => ask(gateway.url, calls) },
          {
            name: 'gateway in a process of its own, as it is deployed',
            run: async () => {
              const measurement = await ask(serviceUrl, calls);
              const megabytes = (service.peakMemory() / 2 ** 20).toFixed(0);
              return { ...measurement, details: `${measurement.details}, ${megabytes} MB resident at most` };
            },
          },
          {
            name: 'skeleton: Nest, Fastify and one read of an account by hash',
            run: () => ask(skeleton.url, ACCOUNTS),
          },
        ],
        close: async () => {
          await skeleton.close();
          await gateway.close();
          await service.end('SIGTERM');
          await redis.drop();
          if (options.isLast) await FILLED.close();
        },
      };
    },
  };
}

async function ask(url: string, calls: readonly Call[]): Promise<BenchMeasurement> {
  const requests = calls.map((call, id) => ({ body: JSON.stringify({ jsonrpc: '2.0', id, ...call }) }));
  const headers = { 'content-type': 'application/json' };
  const load = { url, method: 'POST', headers, connections: CONNECTIONS, duration: SECONDS, workers: 1 } as const;
  const { requests: done, non2xx, errors, duration, latency } = await autocannon({ ...load, requests });
  if (non2xx + errors > 0) throw new Error(`${non2xx} answers were errors, ${errors} requests failed`);
  return { count: done.total, seconds: duration, details: `p50 ${latency.p50} ms, p99 ${latency.p99} ms` };
}

/** The same work with pg alone, without contract, limits, metrics and logs. */
async function startSkeleton(databaseUrl: string): Promise<{ url: string; close: () => Promise<void> }> {
  const pool = new Pool({ connectionString: databaseUrl });

  @Controller()
  class SkeletonController {
    @Post()
    async read(@Body() { id, params }: { id: number; params: { hash: string } }): Promise<object> {
      const { rows } = await pool.query<Record<'hash' | 'owner' | 'address', Buffer>>({
        name: 'skeleton',
        text: 'SELECT * FROM accounts WHERE hash = $1',
        values: [decodeBase58(params.hash, 32)],
      });
      const [{ hash, owner, address, ...row }] = rows;
      const keys = { hash: encodeBase58(hash), owner: encodeBase58(owner), address: encodeBase58(address) };
      return { jsonrpc: '2.0', id, result: { ...row, ...keys } };
    }
  }

  @Module({ controllers: [SkeletonController] })
  class SkeletonModule {}

  const app = await NestFactory.create<NestFastifyApplication>(SkeletonModule, new FastifyAdapter(), { logger: false });
  await app.listen(0, '127.0.0.1');
  return {
    url: await app.getUrl(),
    close: async () => {
      await app.close();
      await pool.end();
    },
  };
}

/** Numbers from 0 to the count, spread evenly and in no order. */
function spread(count: number): number[] {
  return Array.from({ length: REQUESTS }, (_, at) => (at * 617_717) % count);
}

const ACCOUNTS = spread(ROWS).map((number): Call => ({
  method: 'getCompressedAccount',
  params: { hash: encodeBase58(filledKey(2 * number + 1)) },
}));
/** A page behind a cursor, of each spread number. */
function pagesOf(method: string, key: object, cursorOf: (number: number) => string): Call[] {
  return spread(ROWS - 2 * PAGE).map((number) => ({
    method,
    params: { ...key, limit: PAGE, cursor: cursorOf(number + PAGE) },
  }));
}

const FIRST_KEY = encodeBase58(filledKey(0));
const SIGNATURES = pagesOf('getCompressionSignaturesForOwner', { owner: FIRST_KEY }, (slot) =>
  encodeSignatureCursor({ slot, signature: toSignature(Buffer.concat([filledKey(slot), filledKey(slot)])) }),
);
const HOLDERS = pagesOf('getCompressedMintTokenHolders', { mint: FIRST_KEY }, (number) =>
  encodeHolderCursor({ balance: BigInt(number), owner: toPubkey(filledKey(number)) }),
);
const OWNED = pagesOf('getCompressedAccountsByOwnerV2', { owner: encodeBase58(TREE) }, (number) =>
  encodeAccountCursor({ leafIndex: 2 * number + 1, hash: toHash(filledKey(2 * number + 1)) }),
);

export const benches = [
  benchOf('getCompressedAccount', ACCOUNTS),
  benchOf(`pages of ${PAGE} signatures of an owner, at any depth`, SIGNATURES),
  benchOf(`pages of ${PAGE} holders of a mint, at any depth`, HOLDERS),
  benchOf(`pages of ${PAGE} accounts of an owner, at any depth`, OWNED, { isLast: true }),
];
