import { type Hash, toSlot, ZERO_HASH } from '@fresnel/domain/primitives';
import { MAX_ADDRESS, pagesOnPath } from '@fresnel/domain/trees';
import {
  AddressTreeModel,
  commitOf,
  filledTree,
  numbers,
  sha256,
  TestTreeStore,
  testAddress,
  testAddresses,
  type TreeStoreUnderTest,
  V1,
  V2,
} from '@fresnel/testing/trees';
import { describeForksInStore } from './tree-store-forks.contract';
import { describePositionInStore } from './tree-store-position.contract';

const MAX_U64 = 2n ** 64n - 1n;

/** What every tree store does, whatever its name. */
export function describeTreeStoreContract(name: string, open: () => Promise<TreeStoreUnderTest>): void {
  describe(`${name} as a tree store`, () => {
    const under = new TestTreeStore(open);

    it('knows nothing at first', async () => {
      expect((await under.store.claimPosition(7, 1)).offset).toBeNull();
      await under.beforeAndAfterReopening(async () => {
        expect([
          await under.store.findSlot(),
          await under.store.findPosition(0),
          await under.store.listHeads(),
        ]).toEqual([null, null, []]);
        expect(await under.store.findHead(V1.tree)).toBeNull();
        expect(await under.store.findLowElements(V1.tree, testAddresses(0, 2))).toEqual([undefined, undefined]);
        expect(await under.store.readPages(V1.tree, [0])).toEqual(new Map());
        expect(await under.store.readQueue(V1.tree, 0n, 9n)).toEqual(new Map());
        expect(await under.store.readProofs(V1.tree, testAddresses(0, 1))).toBeNull();
      });
    });

    it('gives back every part of a head', async () => {
      const info = { ...V2, owner: V1.tree, rootHistoryCapacity: 2 ** 32 - 1 };
      const observed = {
        slot: toSlot(2 ** 52),
        seq: MAX_U64,
        nextIndex: MAX_U64,
        queueEnd: MAX_U64,
        root: MAX_ADDRESS,
      };
      const seen = { seq: MAX_U64, queueEnd: MAX_U64 - 1n };
      const head = { ...commitOf(filledTree(V2)).head, info: { ...info, observed }, seq: 2n ** 53n + 1n, seen };
      await under.commit([{ ...commitOf(filledTree(V2)), head }]);
      await under.beforeAndAfterReopening(async () => {
        expect(await under.store.findHead(V2.tree)).toEqual(head);
      });
      const closed = { ...head, info: { ...V2, queue: V1.queue }, quarantineReason: 'it is "wrong"' };
      await under.commit([{ ...commitOf(filledTree(V2)), head: closed }]);
      await under.beforeAndAfterReopening(async () => {
        expect(await under.store.listHeads()).toEqual([closed]);
      });
    });

    it('gives back pages, and those that exist only', async () => {
      const { head, pages, ...rest } = commitOf(filledTree());
      await under.commit([{ head, pages, ...rest }]);
      await under.beforeAndAfterReopening(async () => {
        expect(await under.store.readPages(V1.tree, [...pages.keys()])).toEqual(new Map(pages));
        const [leafPage, ...above] = pagesOnPath(2 ** 25, 26);
        expect([...(await under.store.readPages(V1.tree, [leafPage, ...above])).keys()]).toEqual(above.slice(-1));
      });
    });

    it('keeps trees apart', async () => {
      const [one, other] = [filledTree(V1, 20), filledTree(V2, 7)];
      await under.commit([commitOf(one), commitOf(other)], { slot: toSlot(5) });
      await under.beforeAndAfterReopening(async () => {
        const heads = await under.store.listHeads();
        expect(heads.map(({ root }) => root.toString('hex')).sort()).toEqual(
          [one.root, other.root].map((root) => root.toString('hex')).sort(),
        );
        const asked = testAddresses(50, 60);
        expect(await under.store.findLowElements(V1.tree, asked)).toEqual(asked.map((address) => one.lowOf(address)));
        expect(await under.store.findLowElements(V2.tree, asked)).toEqual(asked.map((address) => other.lowOf(address)));
      });
    });

    it('finds the element below each value, in the order asked for', async () => {
      const model = filledTree();
      await under.commit([commitOf(model)]);
      const asked = [...testAddresses(0, 40), testAddress(3), MAX_ADDRESS, Buffer.alloc(32, 0xff) as Hash];
      await under.beforeAndAfterReopening(async () => {
        expect(await under.store.findLowElements(V1.tree, asked)).toEqual(asked.map((value) => model.lowOf(value)));
        expect(await under.store.findLowElements(V1.tree, [ZERO_HASH])).toEqual([undefined]);
      });
    });

    it('replaces an element that is written again', async () => {
      const model = filledTree();
      await under.commit([commitOf(model)]);
      const { updates } = model.insert(testAddress(99));
      const { head } = commitOf(model);
      await under.commit([{ ...commitOf(model), head, elements: updates.flatMap(({ low, high }) => [low, high]) }]);
      const above = Buffer.from(testAddress(99)) as Hash;
      above[31]++;
      await under.beforeAndAfterReopening(async () => {
        const found = await under.store.findLowElements(V1.tree, [testAddress(99), above]);
        expect(found).toEqual([updates[0].low, updates[0].high]);
      });
    });

    it('holds the queue until its addresses are leaves', async () => {
      const model = new AddressTreeModel(V2, sha256);
      model.enqueue(...testAddresses(0, 6));
      await under.commit([commitOf(model, new Map(numbers(0, 5).map((at) => [BigInt(at), testAddress(at)])))]);
      await under.beforeAndAfterReopening(async () => {
        const kept = await under.store.readQueue(V2.tree, 1n, 3n);
        expect([...kept].sort()).toEqual([1, 2].map((at) => [BigInt(at), testAddress(at)]));
      });
      model.batch(2);
      // What waits at the end of the queue came in the same step; the place between is not known.
      await under.commit([commitOf(model, new Map([[6n, testAddress(6)]]))]);
      await under.beforeAndAfterReopening(async () => {
        const kept = await under.store.readQueue(V2.tree, 0n, 100n);
        expect([...kept.keys()].sort()).toEqual([2n, 3n, 4n, 6n]);
        expect(await under.store.readQueue(V2.tree, 3n, 3n)).toEqual(new Map());
      });
    });

    it('proves from pages and elements, and says which addresses are taken', async () => {
      const model = filledTree();
      await under.commit([commitOf(model, new Map([[0n, testAddress(77)]]))], { slot: toSlot(8) });
      const asked = [testAddress(50), testAddress(3), testAddress(77), testAddress(50), MAX_ADDRESS];
      await under.beforeAndAfterReopening(async () => {
        const proofs = await under.store.readProofs(V1.tree, asked);
        expect([proofs?.slot, proofs?.head.root]).toEqual([8, model.root]);
        expect(proofs?.items.map(({ low }) => low)).toEqual(asked.map((address) => model.lowOf(address)));
        expect(proofs?.items.map(({ siblings }) => siblings)).toEqual(
          asked.map((address) => model.siblingsOf(model.lowOf(address).index)),
        );
        expect(proofs?.items.map(({ exists }) => exists)).toEqual([false, true, true, false, true]);
        const [zero] = (await under.store.readProofs(V1.tree, [ZERO_HASH]))?.items ?? [];
        expect([zero.low, zero.exists]).toEqual([undefined, true]);
        expect(await under.store.readProofs(V2.tree, asked)).toBeNull();
      });
    });

    it('has no proofs before it knows a slot', async () => {
      await under.commit([commitOf(filledTree())]);
      expect(await under.store.readProofs(V1.tree, testAddresses(0, 1))).toBeNull();
      await under.commit([], { slot: toSlot(0) });
      expect(await under.store.readProofs(V1.tree, testAddresses(0, 1))).toMatchObject({ slot: 0 });
    });

    it('shows a commit as a whole or not at all', async () => {
      const model = filledTree(V1, 2);
      await under.commit([commitOf(model)], { slot: toSlot(2) });
      for (const count of numbers(3, 12)) {
        model.insert(testAddress(count));
        const done = under.commit([commitOf(model)], { slot: toSlot(count) });
        const reads = numbers(0, 5).map(() => under.expectValidProofs(testAddresses(50, 60)));
        await done;
        for (const head of await Promise.all(reads)) {
          expect([model.seq - 2n, model.seq]).toContain(head?.seq);
        }
        expect((await under.expectValidProofs(testAddresses(50, 60)))?.seq).toBe(model.seq);
      }
    });

    it('never goes back to an earlier slot where none is taken back', async () => {
      for (const slot of [5, 4, null, 6, 6, 0]) await under.commit([], { slot: slot === null ? null : toSlot(slot) });
      await under.beforeAndAfterReopening(async () => {
        expect(await under.store.findSlot()).toBe(6);
      });
    });

    describePositionInStore(under);
    describeForksInStore(under);
  });
}
