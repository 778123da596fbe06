import { WorkerPool } from '@fresnel/adapters/worker-pool';
import { connect } from '@fresnel/adapters/store-schema';
import { createTreeRedis, InMemoryTreeJournal, RedisTreeStore, type TreeStore } from '@fresnel/adapters/tree-store';
import { poseidon } from '@fresnel/domain/poseidon';
import { toSlot, type TreeHasher } from '@fresnel/domain/primitives';
import { type AddressTreeChange } from '@fresnel/domain/trees';
import { blockLinkAt } from '@fresnel/testing/chain';
import { type Bench } from '@fresnel/testing/generic';
import { provideSharedServers, startTestRedis } from '@fresnel/testing/servers';
import { createTestDatabase } from '@fresnel/testing/store';
import { commitNext, journaledStore, testAddress, testAddressTree } from '@fresnel/testing/trees';
import { TreeWriter } from './tree.writer';

const ADDRESSES = 50_000;
const BATCH = 500;
const TREE = testAddressTree('addressV2');

export const bench: Bench = {
  title: 'Address trees in Redis: loading after Redis was emptied',
  data: `one V2 tree with ${ADDRESSES.toLocaleString('en')} addresses, inserted ${BATCH} at a time; two hashing threads; Redis and Postgres on the same machine`,
  unit: 'addresses',
  prepare: async () => {
    const stop = await provideSharedServers();
    const database = await createTestDatabase();
    const dataSource = await connect({ url: database.url, poolSize: 2, applicationName: 'bench' });
    const server = await startTestRedis();
    const redis = createTreeRedis({ url: server.url, commandTimeoutMs: 10_000 });
    await redis.connect();
    const store = journaledStore(redis, dataSource);
    const rebuilt = new RedisTreeStore(redis, poseidon, { prefix: 'rebuilt:' }, new InMemoryTreeJournal());
    // Loading needs a journaled tree. The rebuild without Postgres is measured here as well, in the same minutes.
    const pool = new WorkerPool({ threads: 2 });
    await insertAll(store, pool.treeHasher);
    const startedAt = performance.now();
    const count = await insertAll(rebuilt, pool.treeHasher);
    const seconds = (performance.now() - startedAt) / 1000;
    return {
      ways: [
        {
          name: 'loaded from the journal',
          run: async () => {
            await redis.flushall();
            await store.claimPartition(0, 1);
            const { head } = await store.openTree(TREE.tree);
            return (head?.nextIndex ?? 1) - 1;
          },
        },
        { name: 'rebuilt from the log', run: () => Promise.resolve({ count, seconds }), isOnce: true },
      ],
      close: async () => {
        await pool.close();
        redis.disconnect();
        await server.drop();
        await dataSource.destroy();
        await database.drop();
        await stop();
      },
    };
  },
};

/** Applies batches as the consumer does. Roots are hashed and not compared, since the generated batches have no valid roots. */
async function insertAll(store: TreeStore, hasher: TreeHasher): Promise<number> {
  const partition = await store.claimPartition(0, 1);
  for (let at = 0; at < ADDRESSES; at += BATCH) {
    const changes: AddressTreeChange[] = Array.from({ length: BATCH }, (_, index) => ({
      kind: 'address-queued',
      address: testAddress(at + index),
      queueIndex: BigInt(at + index),
    }));
    const [oldNextIndex, newNextIndex] = [BigInt(at + 1), BigInt(at + BATCH + 1)];
    const seq = BigInt(at / BATCH + 1);
    changes.push({ kind: 'address-batch', seq, oldNextIndex, newNextIndex, newRoot: testAddress(0) });
    const slot = toSlot(at + 1);
    const updates = [{ ...blockLinkAt(slot), tree: TREE, changes }];
    const commit = await TreeWriter.apply(updates, await partition.openTree(TREE.tree), hasher, true);
    await commitNext(partition, [commit], { slot });
  }
  return ADDRESSES;
}
