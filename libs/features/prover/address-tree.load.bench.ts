import { connect } from '@fresnel/adapters/store-schema';
import { InMemoryTreeStore, PostgresTreeJournal, toTreeLog, type TreeStore } from '@fresnel/adapters/tree-store';
import { toSlot } from '@fresnel/domain/primitives';
import { poseidon } from '@fresnel/domain/poseidon';
import { type AddressTreeChange } from '@fresnel/domain/trees';
import { blockLinkAt } from '@fresnel/testing/chain';
import { type Bench } from '@fresnel/testing/generic';
import { provideSharedServers } from '@fresnel/testing/servers';
import { createTestDatabase } from '@fresnel/testing/store';
import { commitTo, headsOf, testAddress, testAddressTree, treeHasherOf } from '@fresnel/testing/trees';
import { TreeWriter } from './tree.writer';

const ADDRESSES = 100_000;
const BATCH = 500;

export const bench: Bench = {
  title: 'Address trees: loading after a restart',
  data: `one V2 tree with ${ADDRESSES.toLocaleString('en')} addresses, inserted ${BATCH} at a time`,
  unit: 'addresses',
  prepare: async () => {
    const stop = await provideSharedServers();
    const database = await createTestDatabase();
    const dataSource = await connect({ url: database.url, poolSize: 2, applicationName: 'bench' });
    const open = () => InMemoryTreeStore.open(poseidon, new PostgresTreeJournal(dataSource, toTreeLog()));
    const load = async () => {
      const [head] = await headsOf(await open());
      return head.nextIndex - 1;
    };
    const rebuild = async () => insertAll(await open());
    // The load needs a stored tree, so the insertion is measured here, while it stores the tree.
    const startedAt = performance.now();
    const count = await rebuild();
    const seconds = (performance.now() - startedAt) / 1000;
    return {
      ways: [
        { name: 'loaded from the database', run: load },
        { name: 'inserted and stored again', run: () => Promise.resolve({ count, seconds }), isOnce: true },
      ],
      close: async () => {
        await dataSource.destroy();
        await database.drop();
        await stop();
      },
    };
  },
};

/** Roots are hashed and not compared, since the generated batches have no valid roots. */
async function insertAll(store: TreeStore): Promise<number> {
  const tree = testAddressTree('addressV2');
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
    const commit = await TreeWriter.apply(
      [{ ...blockLinkAt(slot), tree, changes }],
      await store.openTree(tree.tree),
      treeHasherOf(poseidon),
      true,
    );
    await commitTo(store, [commit], { slot });
  }
  return ADDRESSES;
}
