import { range } from '@fresnel/testing/chain';
import { contentsOfTrees, contentsWithoutForks, cutAt, TestProver } from '@fresnel/testing/prover';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';
import { ForkedTrees, offsetOf, sha256 } from '@fresnel/testing/trees';
import { InMemoryTreeStore } from './in-memory.tree-store';
import { PostgresTreeJournal } from './postgres.tree-journal';
import { toTreeLog } from './tree-journal';

const blocks = (count: number) =>
  range(1, count).map((at) => ({ skipped: at % 2, inserted: at % 3, queued: 3, batched: 4 }));

describe('a prover on a store in memory with a journal in Postgres, with forks,', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(() => database.drop());

  const open = () => InMemoryTreeStore.open(sha256, new PostgresTreeJournal(database.dataSource, toTreeLog()));

  it.each([9, 60, 1_000])('continues from its stored state after a stop every %i records', async (size) => {
    const chain = new ForkedTrees().extend(blocks(5)).appendOrphaned(blocks(31)).repeat(range(0, 40)).extend(blocks(6));
    chain.appendOrphaned(blocks(4)).extend(blocks(5)).repeat(range(0, 100));
    for (const batch of cutAt(chain.published, [size])) {
      const store = await open();
      const prover = new TestProver(store, sha256, { firstOffset: await offsetOf(store) });
      await prover.apply(batch);
      await prover.end();
      const reopened = await open();
      expect(await contentsOfTrees(reopened)).toEqual(await contentsOfTrees(store));
      const [before, after] = [await store.claimPartition(0, 1), await reopened.claimPartition(0, 1)];
      expect(after.blocks).toEqual(before.blocks);
      for (const tree of before.trees) {
        const [stored, loaded] = [await before.openTree(tree), await after.openTree(tree)];
        expect([loaded.entry, loaded.head]).toEqual([stored.entry, stored.head]);
        expect(await loaded.readUndo()).toEqual(await stored.readUndo());
      }
    }
    const reference = await InMemoryTreeStore.open(sha256, null);
    expect(await contentsOfTrees(await open())).toEqual(await contentsWithoutForks(chain, reference));
  });
});
