import { type Hash, toSlot, ZERO_HASH } from '@fresnel/domain/primitives';
import { MAX_ADDRESS, NO_POSITIONS, pagesOnPath } from '@fresnel/domain/trees';
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

/** The contract suite of `TreeStore`. */
export function describeTreeStoreContract(name: string, open: () => Promise<TreeStoreUnderTest>): void {
  describe(`${name}: the contract of a tree store`, () => {
    const testStore = new TestTreeStore(open);

    it('is empty at first', async () => {
      expect(await testStore.offset(7)).toBeNull();
      await testStore.beforeAndAfterReopening(async () => {
        expect([await testStore.store.findSlot(), await testStore.offset(0), await testStore.heads()]).toEqual([
          null,
          null,
          [],
        ]);
        expect((await testStore.open(V1.tree)).head).toBeNull();
        expect(await (await testStore.open(V1.tree)).findLowElements(testAddresses(0, 2))).toEqual([
          undefined,
          undefined,
        ]);
        expect(await (await testStore.open(V1.tree)).readPages([0])).toEqual(new Map());
        expect(await (await testStore.open(V1.tree)).readQueue(0n, 9n)).toEqual(new Map());
        expect(await testStore.store.readProofs(V1.tree, testAddresses(0, 1))).toBeNull();
      });
    });

    it('stores all values of a head', async () => {
      const info = { ...V2, owner: V1.tree, rootHistoryCapacity: 2 ** 32 - 1 };
      const observed = {
        slot: toSlot(2 ** 52),
        seq: MAX_U64,
        nextIndex: MAX_U64,
        queueEnd: MAX_U64,
        inputQueueEnd: 0n,
        root: MAX_ADDRESS,
      };
      const seen = { ...NO_POSITIONS, seq: MAX_U64, queueEnd: MAX_U64 - 1n };
      const head = { ...commitOf(filledTree(V2)).head, info: { ...info, observed }, seq: 2n ** 53n + 1n, seen };
      await testStore.commit([{ ...commitOf(filledTree(V2)), head }]);
      await testStore.beforeAndAfterReopening(async () => {
        expect((await testStore.open(V2.tree)).head).toEqual(head);
      });
      const quarantined = { ...head, info: { ...V2, queue: V1.queue }, quarantineReason: 'it is "wrong"' };
      await testStore.commit([{ ...commitOf(filledTree(V2)), head: quarantined }]);
      await testStore.beforeAndAfterReopening(async () => {
        expect(await testStore.heads()).toEqual([quarantined]);
      });
    });

    it('returns the pages that exist', async () => {
      const { head, pages, ...rest } = commitOf(filledTree());
      await testStore.commit([{ head, pages, ...rest }]);
      await testStore.beforeAndAfterReopening(async () => {
        expect(await (await testStore.open(V1.tree)).readPages([...pages.keys()])).toEqual(new Map(pages));
        const [leafPage, ...above] = pagesOnPath(2 ** 25, 26);
        expect([...(await (await testStore.open(V1.tree)).readPages([leafPage, ...above])).keys()]).toEqual(
          above.slice(-1),
        );
      });
    });

    it('keeps trees separate', async () => {
      const [one, other] = [filledTree(V1, 20), filledTree(V2, 7)];
      await testStore.commit([commitOf(one), commitOf(other)], { slot: toSlot(5) });
      await testStore.beforeAndAfterReopening(async () => {
        const heads = await testStore.heads();
        expect(heads.map(({ root }) => root.toString('hex')).sort()).toEqual(
          [one.root, other.root].map((root) => root.toString('hex')).sort(),
        );
        const requested = testAddresses(50, 60);
        expect(await (await testStore.open(V1.tree)).findLowElements(requested)).toEqual(
          requested.map((address) => one.lowOf(address)),
        );
        expect(await (await testStore.open(V2.tree)).findLowElements(requested)).toEqual(
          requested.map((address) => other.lowOf(address)),
        );
      });
    });

    it('finds the low element of each value, in the order of the request', async () => {
      const model = filledTree();
      await testStore.commit([commitOf(model)]);
      const requested = [...testAddresses(0, 40), testAddress(3), MAX_ADDRESS, Buffer.alloc(32, 0xff) as Hash];
      await testStore.beforeAndAfterReopening(async () => {
        expect(await (await testStore.open(V1.tree)).findLowElements(requested)).toEqual(
          requested.map((value) => model.lowOf(value)),
        );
        expect(await (await testStore.open(V1.tree)).findLowElements([ZERO_HASH])).toEqual([undefined]);
      });
    });

    it('replaces a rewritten element', async () => {
      const model = filledTree();
      await testStore.commit([commitOf(model)]);
      const { updates } = model.insert(testAddress(99));
      const { head } = commitOf(model);
      await testStore.commit([{ ...commitOf(model), head, elements: updates.flatMap(({ low, high }) => [low, high]) }]);
      const above = Buffer.from(testAddress(99)) as Hash;
      above[31]++;
      await testStore.beforeAndAfterReopening(async () => {
        const found = await (await testStore.open(V1.tree)).findLowElements([testAddress(99), above]);
        expect(found).toEqual([updates[0].low, updates[0].high]);
      });
    });

    it('stores queued addresses until they are leaves', async () => {
      const model = new AddressTreeModel(V2, sha256);
      model.enqueue(...testAddresses(0, 6));
      await testStore.commit([commitOf(model, new Map(numbers(0, 5).map((at) => [BigInt(at), testAddress(at)])))]);
      await testStore.beforeAndAfterReopening(async () => {
        const kept = await (await testStore.open(V2.tree)).readQueue(1n, 3n);
        expect([...kept].sort()).toEqual([1, 2].map((at) => [BigInt(at), testAddress(at)]));
      });
      model.batch(2);
      // An address is queued after a gap in the same commit.
      await testStore.commit([commitOf(model, new Map([[6n, testAddress(6)]]))]);
      await testStore.beforeAndAfterReopening(async () => {
        const kept = await (await testStore.open(V2.tree)).readQueue(0n, 100n);
        expect([...kept.keys()].sort()).toEqual([2n, 3n, 4n, 6n]);
        expect(await (await testStore.open(V2.tree)).readQueue(3n, 3n)).toEqual(new Map());
      });
    });

    it('returns proofs from pages and elements, and whether an address exists', async () => {
      const model = filledTree();
      await testStore.commit([commitOf(model, new Map([[0n, testAddress(77)]]))], { slot: toSlot(8) });
      const requested = [testAddress(50), testAddress(3), testAddress(77), testAddress(50), MAX_ADDRESS];
      await testStore.beforeAndAfterReopening(async () => {
        const proofs = await testStore.store.readProofs(V1.tree, requested);
        expect([proofs?.slot, proofs?.head.root]).toEqual([8, model.root]);
        expect(proofs?.items.map(({ low }) => low)).toEqual(requested.map((address) => model.lowOf(address)));
        expect(requested.map((_, at) => proofs?.paths?.siblings(at))).toEqual(
          requested.map((address) => model.siblingsOf(model.lowOf(address).index)),
        );
        expect(proofs?.items.map(({ exists }) => exists)).toEqual([false, true, true, false, true]);
        const { items: zero = [], paths } = (await testStore.store.readProofs(V1.tree, [ZERO_HASH])) ?? {};
        expect([zero, paths]).toEqual([[{ low: undefined, exists: true }], null]);
        expect(await testStore.store.readProofs(V2.tree, requested)).toBeNull();
      });
    });

    it('returns no proofs before it has a slot', async () => {
      await testStore.commit([commitOf(filledTree())]);
      expect(await testStore.store.readProofs(V1.tree, testAddresses(0, 1))).toBeNull();
      await testStore.commit([], { slot: toSlot(0) });
      expect(await testStore.store.readProofs(V1.tree, testAddresses(0, 1))).toMatchObject({ slot: 0 });
    });

    it('returns a head with its slot', async () => {
      const commit = commitOf(filledTree());
      await testStore.commit([commit]);
      expect(await testStore.store.readHead(V1.tree)).toBeNull();
      await testStore.commit([], { slot: toSlot(4) });
      expect(await testStore.store.readHead(V1.tree)).toMatchObject({ head: commit.head, slot: 4 });
      expect(await testStore.store.readHead(V2.tree)).toBeNull();
    });

    it('shows a commit completely or not at all', async () => {
      const model = filledTree(V1, 2);
      await testStore.commit([commitOf(model)], { slot: toSlot(2) });
      for (const count of numbers(3, 12)) {
        model.insert(testAddress(count));
        const done = testStore.commit([commitOf(model)], { slot: toSlot(count) });
        const reads = numbers(0, 5).map(() => testStore.expectValidProofs(testAddresses(50, 60)));
        await done;
        for (const head of await Promise.all(reads)) {
          expect([model.seq - 2n, model.seq]).toContain(head?.seq);
        }
        expect((await testStore.expectValidProofs(testAddresses(50, 60)))?.seq).toBe(model.seq);
      }
    });

    it('does not change what a read returned', async () => {
      const model = filledTree(V1, 5);
      const removed = model.all.slice(-1).map(({ index, value }) => ({ index, value }));
      await testStore.commit([commitOf(model)], { slot: toSlot(1) });
      const ids = [...commitOf(model).pages.keys()];
      const read = async () => [
        await testStore.store.readProofs(V1.tree, testAddresses(50, 60)),
        await (await testStore.open(V1.tree)).findLowElements(testAddresses(50, 60)),
        await (await testStore.open(V1.tree)).readPages(ids),
      ];
      const before = await read();
      const copy = structuredClone(before);
      const other = filledTree(V1, 4);
      other.insert(...testAddresses(20, 40));
      await testStore.commit([{ ...commitOf(other), removed }], { slot: toSlot(2) });
      expect(structuredClone(before)).toEqual(copy);
      expect(structuredClone(await read())).not.toEqual(copy);
    });

    it('never lowers its slot without a revert', async () => {
      for (const slot of [5, 4, null, 6, 6, 0])
        await testStore.commit([], { slot: slot === null ? null : toSlot(slot) });
      await testStore.beforeAndAfterReopening(async () => {
        expect(await testStore.store.findSlot()).toBe(6);
      });
    });

    describePositionInStore(testStore);
    describeForksInStore(testStore);
  });
}
