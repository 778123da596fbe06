import { toSlot } from '@fresnel/domain/primitives';
import {
  commitNext,
  commitOf,
  filledTree,
  numbers,
  type TestTreeStore,
  testAddresses,
  V1,
  V2,
} from '@fresnel/testing/trees';

const FENCED = { code: 'fenced', isRetryable: false };

/** The part of the tree store contract that is about positions and several writers. */
export function describePositionInStore(testStore: TestTreeStore): void {
  describe('its position', () => {
    const small = () => commitOf(filledTree(V1, 3));

    it('moves with the data, separately for each partition', async () => {
      await testStore.commit([commitOf(filledTree())], { to: 5n });
      await testStore.commit([], { to: 2n ** 53n + 1n });
      await testStore.commit([], { partition: 3, to: 41n });
      await testStore.beforeAndAfterReopening(async () => {
        const offsets = await Promise.all([0, 1, 3].map((partition) => testStore.offset(partition)));
        expect(offsets).toEqual([2n ** 53n + 1n, null, 41n]);
      });
    });

    it('is the same for the writer that has moved it and for the next one', async () => {
      const writer = await testStore.claim();
      await commitNext(writer, [small()], { slot: toSlot(1), to: 5n });
      const next = await testStore.claim();
      for (const { offset, block, trees, blocks } of [writer, next]) {
        expect([offset, block?.slot, trees, blocks]).toEqual([5n, 1, [V1.tree], []]);
      }
      await next.check();
      await commitNext(next, [], { to: 6n });
    });

    it('accepts one of two commits that were computed from the same state', async () => {
      await testStore.commit([], { to: 5n });
      const writers = [await testStore.claim(), await testStore.claim()];
      const results = await Promise.allSettled(
        writers.map((writer, at) => commitNext(writer, [], { slot: toSlot(6 + at), to: BigInt(6 + at) })),
      );
      expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      const winner = results[0].status === 'fulfilled' ? 6 : 7;
      await testStore.beforeAndAfterReopening(async () => {
        expect([await testStore.store.findSlot(), await testStore.offset()]).toEqual([winner, BigInt(winner)]);
      });
    });

    it('fences everything of a writer that does not know the last commit, also if it changes another tree', async () => {
      await testStore.commit([small()], { slot: toSlot(1), to: 5n });
      const zombie = await testStore.claim();
      await testStore.claim();
      await testStore.commit([commitOf(filledTree(V1, 4))], { slot: toSlot(2), to: 9n });
      const before = await testStore.heads();
      await expect(zombie.check()).rejects.toMatchObject(FENCED);
      for (const trees of [[], [commitOf(filledTree(V2))], [commitOf(filledTree(V1, 9)), commitOf(filledTree(V2))]]) {
        const late = commitNext(zombie, trees, { slot: toSlot(7), to: 9n });
        await expect(late).rejects.toMatchObject(FENCED);
      }
      await testStore.beforeAndAfterReopening(async () => {
        const { offset, block } = await testStore.claim();
        expect([offset, block?.slot, await testStore.heads()]).toEqual([9n, 2, before]);
        expect(await testStore.open(V2.tree)).toMatchObject({ head: null, entry: null });
      });
    });

    it('fences a commit that names another entry of a tree than the newest', async () => {
      await testStore.commit([small()], { slot: toSlot(1) });
      const writer = await testStore.claim();
      const { entry: newest } = await testStore.open(V1.tree);
      const commits = [
        { ...small(), on: null },
        { ...small(), on: '4e4a9b4c-14d5-4b6e-9c57-0b7f1c1d2a3b' },
        { ...commitOf(filledTree(V2)), on: newest },
      ];
      for (const tree of commits) {
        const commit = (await testStore.claim()).commit({ trees: [tree], block: null, to: 9n });
        await expect(commit).rejects.toMatchObject(FENCED);
      }
      await writer.commit({ trees: [{ ...commitOf(filledTree(V1, 4)), on: newest }], block: null, to: 9n });
      expect((await testStore.open(V1.tree)).head).toEqual(commitOf(filledTree(V1, 4)).head);
    });

    it('lets no writer read a tree that was changed after it was opened', async () => {
      await testStore.commit([small()], { slot: toSlot(1) });
      const opened = await testStore.open(V1.tree);
      const reads = () => [
        opened.findLowElements(testAddresses(0, 2)),
        opened.readPages([0]),
        opened.readQueue(0n, 9n),
        opened.readNullifiers(0n, 9n),
        opened.readUndo(),
      ];
      await Promise.all(reads());
      await testStore.commit([commitOf(filledTree(V2))]);
      await Promise.all(reads());
      await testStore.commit([commitOf(filledTree(V1, 4))]);
      const moved = { reason: { code: 'tree-moved', isRetryable: true } };
      expect(await Promise.allSettled(reads())).toMatchObject(numbers(0, 5).map(() => moved));
    });

    it('gives each commit an id of its own, which the trees that it changes have', async () => {
      await testStore.commit([small(), commitOf(filledTree(V2))]);
      const first = await testStore.open(V1.tree);
      expect((await testStore.open(V2.tree)).entry).toBe(first.entry);
      await testStore.commit([small()]);
      const [second, other] = [await testStore.open(V1.tree), await testStore.open(V2.tree)];
      expect(other.entry).toBe(first.entry);
      expect(new Set([null, first.entry, second.entry]).size).toBe(3);
    });
  });
}
