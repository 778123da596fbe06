import { connect } from '@fresnel/adapters/store-schema';
import { toSlot } from '@fresnel/domain/primitives';
import { pagesOnPaths, type TreeInfo } from '@fresnel/domain/trees';
import { integer, readConfig } from '@fresnel/platform';
import { type Bench, type BenchMeasurement } from '@fresnel/testing/generic';
import { provideSharedServers, startTestRedis } from '@fresnel/testing/servers';
import { createTestDatabase } from '@fresnel/testing/store';
import { commitNext, fillJournal, journaledStore, testStateTree } from '@fresnel/testing/trees';
import { type Redis } from 'ioredis';
import { type DataSource } from 'typeorm';
import { createTreeRedis } from './redis/redis-connection';
import { type TreeStore } from './tree-store';

const { FRESNEL_BENCH_LEAVES: LEAVES } = readConfig({
  FRESNEL_BENCH_LEAVES: integer(
    100_000,
    1_000_000_000,
  )({ default: 1_000_000, desc: 'Leaves of the state tree whose size is measured' }),
});
const TREE: TreeInfo = testStateTree('stateV2');
const PER_CALL = 1_000;
const CALLS = 20;

export const bench: Bench = {
  title: 'State trees: bytes of a leaf, and paths read',
  data: `one V2 state tree with ${LEAVES.toLocaleString('en')} leaves (FRESNEL_BENCH_LEAVES); Redis and Postgres on the same machine`,
  unit: 'leaves',
  prepare: async () => {
    const stop = await provideSharedServers();
    const database = await createTestDatabase();
    const dataSource = await connect({ url: database.url, poolSize: 2, applicationName: 'bench' });
    const server = await startTestRedis();
    const redis = createTreeRedis({ url: server.url, commandTimeoutMs: 60_000 });
    await redis.connect();
    await fillJournal(dataSource, TREE, LEAVES);
    const store = journaledStore(redis, dataSource);
    return {
      ways: [
        { name: 'loaded from Postgres into an empty Redis', run: () => load(store, redis, dataSource), isOnce: true },
        { name: `paths of ${PER_CALL} random leaves a call, from Redis`, run: () => readFromRedis(store) },
        { name: `pages of the same paths, from Postgres`, run: () => readFromPostgres(dataSource) },
      ],
      close: async () => {
        redis.disconnect();
        await server.drop();
        await dataSource.destroy();
        await database.drop();
        await stop();
      },
    };
  },
};

async function load(store: TreeStore, redis: Redis, dataSource: DataSource): Promise<BenchMeasurement> {
  const before = await usedMemory(redis);
  const startedAt = performance.now();
  const partition = await store.claimPartition(0, 1);
  const seconds = (performance.now() - startedAt) / 1000;
  // Paths are read as of a slot.
  await commitNext(partition, [], { slot: toSlot(1) });
  const [{ bytes }] = await dataSource.query<{ bytes: string }[]>(
    `SELECT pg_total_relation_size('state_tree_pages') AS bytes`,
  );
  const each = (size: number) => (size / LEAVES).toFixed(1);
  const inRedis = each((await usedMemory(redis)) - before);
  return { count: LEAVES, seconds, details: `${inRedis} bytes in Redis, ${each(Number(bytes))} in Postgres` };
}

async function usedMemory(redis: Redis): Promise<number> {
  const [, bytes] = /used_memory:(\d+)/.exec(await redis.info('memory')) ?? [];
  return Number(bytes);
}

async function readFromRedis(store: TreeStore): Promise<number> {
  for (let call = 0; call < CALLS; call++) {
    const read = await store.readLeaves(TREE.tree, randomLeaves());
    if (read?.leaves.length !== PER_CALL) throw new Error('the tree is not readable');
  }
  return CALLS * PER_CALL;
}

async function readFromPostgres(dataSource: DataSource): Promise<number> {
  for (let call = 0; call < CALLS; call++) {
    const pages = pagesOnPaths(randomLeaves(), TREE.height);
    const rows = await dataSource.query<{ nodes: Buffer }[]>(
      'SELECT page, nodes FROM state_tree_pages WHERE tree_digest = key_digest($1) AND page = ANY ($2::bigint[])',
      [TREE.tree, pages],
    );
    if (rows.length < PER_CALL / 16) throw new Error('the pages are not stored');
  }
  return CALLS * PER_CALL;
}

function randomLeaves(): number[] {
  return Array.from({ length: PER_CALL }, () => Math.floor(Math.random() * LEAVES));
}
