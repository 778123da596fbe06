import { toSlot } from '@fresnel/domain/primitives';
import { commitOf, filledTree, type TestTreeStore, testAddresses, V1, V2 } from '@fresnel/testing/trees';

/** What every tree store does with the position of its writer. */
export function describePositionInStore(under: TestTreeStore): void {
  describe('its position', () => {
    beforeEach(async () => {
      for (const partition of [0, 3]) await under.claim(partition);
    });

    it('moves with the data, in each partition on its own', async () => {
      await under.commit([commitOf(filledTree())], { position: under.move(0n, 5n) });
      await under.commit([], { position: under.move(5n, 2n ** 53n + 1n) });
      await under.commit([], { position: under.move(40n, 41n, 3) });
      await under.commit([]);
      await under.beforeAndAfterReopening(async () => {
        const positions = await Promise.all([0, 1, 3].map((partition) => under.store.findPosition(partition)));
        expect(positions).toEqual([2n ** 53n + 1n, null, 41n]);
      });
    });

    it.each([
      ['behind it', 6n, 7n],
      ['before it', 0n, 4n],
      ['before it that ends behind it', 4n, 9n],
    ])('that another writer moved stops a whole commit from %s', async (_, from, to) => {
      await under.commit([commitOf(filledTree(V1, 3))], { slot: toSlot(1), position: under.move(0n, 5n) });
      const { head } = commitOf(filledTree(V1, 3));
      const position = under.move(from, to);
      const late = under.commit([commitOf(filledTree(V1, 9)), commitOf(filledTree(V2))], { slot: toSlot(2), position });
      await expect(late).rejects.toMatchObject({ code: 'fenced', isRetryable: false });
      await under.beforeAndAfterReopening(async () => {
        expect([
          await under.store.findSlot(),
          await under.store.findPosition(0),
          await under.store.listHeads(),
        ]).toEqual([1, 5n, [head]]);
        expect(await under.store.findLowElements(V2.tree, testAddresses(0, 1))).toEqual([undefined]);
      });
    });

    it('that another writer took stops who had it, whatever its place', async () => {
      await under.commit([commitOf(filledTree(V1, 3))], { slot: toSlot(1), position: under.move(0n, 5n) });
      const { offset, epoch } = await under.store.claimPosition(0, 1);
      expect([offset, epoch > under.move(5n, 6n).epoch]).toEqual([5n, true]);
      for (const position of [under.move(5n, 6n), under.move(0n, 5n)]) {
        const late = under.commit([commitOf(filledTree(V1, 9))], { slot: toSlot(2), position });
        await expect(late).rejects.toMatchObject({ code: 'fenced', isRetryable: false });
      }
      await under.commit([], { slot: toSlot(3), position: { ...under.move(5n, 6n), epoch } });
      await under.beforeAndAfterReopening(async () => {
        const [head] = await under.store.listHeads();
        expect([head, await under.store.findSlot()]).toEqual([commitOf(filledTree(V1, 3)).head, 3]);
      });
    });

    it('lets a commit through again whose answer was lost', async () => {
      const again = () =>
        under.commit([commitOf(filledTree(V1, 3))], { slot: toSlot(1), position: under.move(0n, 5n) });
      await again();
      await again();
      await under.beforeAndAfterReopening(async () => {
        expect([await under.store.findPosition(0), (await under.store.listHeads()).length]).toEqual([5n, 1]);
      });
    });

    it('lets one of two writers through', async () => {
      await under.commit([], { position: under.move(0n, 5n) });
      const results = await Promise.allSettled(
        [6, 7].map((slot) => under.commit([], { slot: toSlot(slot), position: under.move(5n, BigInt(slot)) })),
      );
      expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      const winner = results[0].status === 'fulfilled' ? 6 : 7;
      await under.beforeAndAfterReopening(async () => {
        expect([await under.store.findSlot(), await under.store.findPosition(0)]).toEqual([winner, BigInt(winner)]);
      });
    });
  });
}
