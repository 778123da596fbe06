import { toSlot } from '@fresnel/domain/primitives';
import { commitOf, filledTree, type TestTreeStore, testAddresses, V1, V2 } from '@fresnel/testing/trees';

/** The part of the tree store contract that is about positions. */
export function describePositionInStore(testStore: TestTreeStore): void {
  describe('its position', () => {
    beforeEach(async () => {
      for (const partition of [0, 3]) await testStore.claim(partition);
    });

    it('moves with the data, separately for each partition', async () => {
      await testStore.commit([commitOf(filledTree())], { position: testStore.move(0n, 5n) });
      await testStore.commit([], { position: testStore.move(5n, 2n ** 53n + 1n) });
      await testStore.commit([], { position: testStore.move(40n, 41n, 3) });
      await testStore.commit([]);
      await testStore.beforeAndAfterReopening(async () => {
        const positions = await Promise.all([0, 1, 3].map((partition) => testStore.store.findPosition(partition)));
        expect(positions).toEqual([2n ** 53n + 1n, null, 41n]);
      });
    });

    it.each([
      ['after it', 6n, 7n],
      ['before it', 0n, 4n],
      ['before it to after it', 4n, 9n],
    ])('fences a whole commit that starts %s', async (_, from, to) => {
      await testStore.commit([commitOf(filledTree(V1, 3))], { slot: toSlot(1), position: testStore.move(0n, 5n) });
      const { head } = commitOf(filledTree(V1, 3));
      const position = testStore.move(from, to);
      const late = testStore.commit([commitOf(filledTree(V1, 9)), commitOf(filledTree(V2))], {
        slot: toSlot(2),
        position,
      });
      await expect(late).rejects.toMatchObject({ code: 'fenced', isRetryable: false });
      await testStore.beforeAndAfterReopening(async () => {
        expect([
          await testStore.store.findSlot(),
          await testStore.store.findPosition(0),
          await testStore.store.listHeads(),
        ]).toEqual([1, 5n, [head]]);
        expect(await testStore.store.findLowElements(V2.tree, testAddresses(0, 1))).toEqual([undefined]);
      });
    });

    it('fences all commits of the previous writer after a claim', async () => {
      await testStore.commit([commitOf(filledTree(V1, 3))], { slot: toSlot(1), position: testStore.move(0n, 5n) });
      const { offset, epoch } = await testStore.store.claimPosition(0, 1);
      expect([offset, epoch > testStore.move(5n, 6n).epoch]).toEqual([5n, true]);
      for (const position of [testStore.move(5n, 6n), testStore.move(0n, 5n)]) {
        const late = testStore.commit([commitOf(filledTree(V1, 9))], { slot: toSlot(2), position });
        await expect(late).rejects.toMatchObject({ code: 'fenced', isRetryable: false });
      }
      await testStore.commit([], { slot: toSlot(3), position: { ...testStore.move(5n, 6n), epoch } });
      await testStore.beforeAndAfterReopening(async () => {
        const [head] = await testStore.store.listHeads();
        expect([head, await testStore.store.findSlot()]).toEqual([commitOf(filledTree(V1, 3)).head, 3]);
      });
    });

    it('accepts a retry of a commit whose response was lost', async () => {
      const commitOnce = () =>
        testStore.commit([commitOf(filledTree(V1, 3))], { slot: toSlot(1), position: testStore.move(0n, 5n) });
      await commitOnce();
      await commitOnce();
      await testStore.beforeAndAfterReopening(async () => {
        expect([await testStore.store.findPosition(0), (await testStore.store.listHeads()).length]).toEqual([5n, 1]);
      });
    });

    it('accepts one of two concurrent commits', async () => {
      await testStore.commit([], { position: testStore.move(0n, 5n) });
      const results = await Promise.allSettled(
        [6, 7].map((slot) => testStore.commit([], { slot: toSlot(slot), position: testStore.move(5n, BigInt(slot)) })),
      );
      expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      const winner = results[0].status === 'fulfilled' ? 6 : 7;
      await testStore.beforeAndAfterReopening(async () => {
        expect([await testStore.store.findSlot(), await testStore.store.findPosition(0)]).toEqual([
          winner,
          BigInt(winner),
        ]);
      });
    });
  });
}
