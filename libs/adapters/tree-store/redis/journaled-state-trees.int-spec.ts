import { siblingsOnPath } from '@fresnel/testing/trees';
import { connect } from '@fresnel/adapters/store-schema';
import { type TreeUpdatesMessage } from '@fresnel/contracts/messages';
import { poseidon } from '@fresnel/domain/poseidon';
import { type Pubkey } from '@fresnel/domain/primitives';
import { isAddressTree } from '@fresnel/domain/trees';
import { generatedTrees, generateLedger } from '@fresnel/ledger-generator';
import { range } from '@fresnel/testing/chain';
import { readGeneratedSlots } from '@fresnel/testing/ledger';
import { TreeRecords } from '@fresnel/testing/messages';
import { TestProver } from '@fresnel/testing/prover';
import { startTestRedis, type TestRedis } from '@fresnel/testing/servers';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';
import { type Redis } from 'ioredis';
import { type DataSource } from 'typeorm';
import { InMemoryTreeStore } from '../in-memory.tree-store';
import { PostgresTreeJournal } from '../postgres.tree-journal';
import { toTreeLog } from '../tree-journal';
import { type TreeStore } from '../tree-store';
import { createTreeRedis } from './redis-connection';
import { type TreeLoad } from './redis.tree-loader';
import { RedisTreeStore } from './redis.tree-store';

const WEIGHTS = { nullifyLeaves: 20, migrateLeaves: 20, appendOutputs: 30, nullifyInputs: 30, transferLamports: 30 };
const RECORDS = new TreeRecords();
/** The records that ingest publishes, by slot. */
const SLOTS = readGeneratedSlots([...generateLedger({ seed: 5, slots: 36, weights: WEIGHTS })]).map((events) =>
  RECORDS.ofSlot(events),
);
const TREES = generatedTrees().filter((info) => !isAddressTree(info));

/** Everything that a store has of the state trees. */
async function contentsOf(store: TreeStore): Promise<unknown> {
  return Promise.all(
    TREES.map(async ({ tree }) => {
      const opened = await store.openTree(tree);
      return {
        head: opened.head,
        slot: await store.findTreeSlot(tree),
        leaves: await store.readLeaves(tree, range(0, 80)),
        queue: await opened.readQueue(0n, 1_000n),
        nullifiers: await opened.readNullifiers(0n, 1_000n),
        queued: await queuedOf(store, tree),
        undo: await opened.readUndo(),
      };
    }),
  );
}

/** The entries of the queues, and the leaves of their accounts. */
async function queuedOf(store: TreeStore, tree: Pubkey): Promise<unknown> {
  const all = { from: null, limit: 1_000, multipleOf: 1 };
  const found = await store.readQueuedElements(tree, { outputs: all, inputs: all, addresses: null });
  if (!found) return null;
  const { head, slot, nodes, outputs, inputs } = found;
  const indices = [...outputs.entries.keys(), ...[...inputs.entries.values()].map(({ leafIndex }) => leafIndex)];
  const paths = indices.map((index) => siblingsOnPath(nodes, Number(index), head.info.height));
  return {
    head,
    slot,
    outputs,
    inputs,
    paths,
    leaves: indices.map((index) => nodes.node({ level: 0, index: Number(index) })),
  };
}

/** Applies slots to a store, whose log starts at an offset. @returns the offset after them */
async function apply(store: TreeStore, slots: readonly TreeUpdatesMessage[][], firstOffset: bigint): Promise<bigint> {
  const prover = new TestProver(store, poseidon, { firstOffset });
  for (const messages of slots) await prover.apply(messages);
  await prover.end();
  return firstOffset + BigInt(slots.flat().length);
}

describe('state trees in the journal', () => {
  let server: TestRedis;
  let redis: Redis;
  let database: TestDatabase;
  let dataSource: DataSource;
  let loads: TreeLoad['kind'][] = [];
  beforeAll(async () => {
    server = await startTestRedis();
    redis = createTreeRedis({ url: server.url, commandTimeoutMs: 30_000 });
    await redis.connect();
    database = await createTestDatabase();
    dataSource = await connect({ url: database.url, poolSize: 4, applicationName: 'journal' });
  });
  afterAll(async () => {
    redis.disconnect();
    await dataSource.destroy();
    await database.drop();
    await server.drop();
  });

  const createJournal = () => new PostgresTreeJournal(dataSource, toTreeLog());
  const openRedis = () => new RedisTreeStore(redis, poseidon, {}, createJournal(), ({ kind }) => loads.push(kind));
  const openMemory = () => InMemoryTreeStore.open(poseidon, createJournal());

  it('are equal in memory, after a restart, and in Redis: loaded, copied in part, and written', async () => {
    const reference = await InMemoryTreeStore.open(poseidon, null);
    const [first, second, last] = [SLOTS.slice(0, 14), SLOTS.slice(14, 24), SLOTS.slice(24)];
    await apply(reference, first, 0n);
    let offset = await apply(await openMemory(), first, 0n);
    expect(await contentsOf(await openMemory())).toEqual(await contentsOf(reference));

    await openRedis().claimPartition(0, 1);
    expect(new Set(loads)).toEqual(new Set(['whole']));
    expect(await contentsOf(openRedis())).toEqual(await contentsOf(reference));

    // Redis misses what another process journals.
    await apply(reference, second, offset);
    offset = await apply(await openMemory(), second, offset);
    loads = [];
    await openRedis().claimPartition(0, 1);
    expect(loads).toContain('changes');
    expect(loads).not.toContain('whole');
    expect(await contentsOf(openRedis())).toEqual(await contentsOf(reference));

    await apply(reference, last, offset);
    await apply(openRedis(), last, offset);
    expect(await contentsOf(openRedis())).toEqual(await contentsOf(reference));
    expect(await contentsOf(await openMemory())).toEqual(await contentsOf(reference));
  });
});
