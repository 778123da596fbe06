import { type TreeCommit, type TreeStore, type TreeStoreCommit } from '@fresnel/adapters/tree-store';
import { type Hash, toSlot, ZERO_HASH } from '@fresnel/domain/primitives';
import { type AddressTreeHead, hashElement, MAX_ADDRESS, NodePages, pagesOnPath } from '@fresnel/domain/trees';
import { AddressTreeModel, rootOfProof, sha256, testAddress, testAddressTree } from './address-tree-model';

/** What an implementation gives its contract tests; hashes are made by `sha256`. */
export interface TreeStoreUnderTest {
  /** A store that nothing was committed to. */
  store: TreeStore;
  /** Closes the store and opens it again. Null where a store ends with its process. */
  reopen: (() => Promise<TreeStore>) | null;
  close(): Promise<void>;
}

const V1 = testAddressTree('addressV1');
const V2 = testAddressTree('addressV2');
const MAX_U64 = 2n ** 64n - 1n;
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);
const addresses = (from: number, to: number) => range(from, to).map(testAddress);

/** A tree as its model is now, whole. */
function commitOf(model: AddressTreeModel, queued: ReadonlyMap<bigint, Hash> = new Map()): TreeCommit {
  const { info, seq, nextIndex, root, queueEnd } = model;
  const pages = new NodePages(() => undefined, sha256);
  pages.writeLeaves(new Map(model.all.map((one) => [one.index, hashElement(info.type, one, sha256)])), info.height);
  return {
    head: { info, seq, nextIndex, root, queueEnd, seen: { seq, queueEnd }, fault: null },
    elements: [...model.all],
    pages: pages.changedPages(),
    queued,
    queueStart: info.type === 'addressV2' ? BigInt(nextIndex - 1) : 0n,
  };
}

/** What every tree store does, whatever its name. */
export function describeTreeStoreContract(name: string, open: () => Promise<TreeStoreUnderTest>): void {
  describe(`${name} as a tree store`, () => {
    let under: TreeStoreUnderTest;
    let store: TreeStore;
    /** Of the writer that took the partition first. */
    const epochs: Record<number, bigint> = {};
    beforeEach(async () => {
      under = await open();
      ({ store } = under);
    });
    afterEach(() => under.close());

    const commit = (trees: TreeCommit[], more: Partial<TreeStoreCommit> = {}) =>
      store.commit({ trees, slot: null, position: null, ...more });

    const move = (from: bigint, to: bigint, partition = 0) => ({ partition, epoch: epochs[partition], from, to });

    /** Looks now, and where a store can be opened again, then once more. */
    async function nowAndLater(look: () => Promise<void>): Promise<void> {
      await look();
      if (!under.reopen) return;
      store = await under.reopen();
      await look();
    }

    function grownTree(info = V1, count = 20): AddressTreeModel {
      const model = new AddressTreeModel(info, sha256);
      model.insert(...addresses(0, count));
      return model;
    }

    async function expectTrueProofs(addresses: readonly Hash[]): Promise<AddressTreeHead | undefined> {
      const proofs = await store.readProofs(V1.tree, addresses);
      for (const { low, siblings } of proofs?.items ?? []) {
        const leaf = low && hashElement('addressV1', low, sha256);
        expect(leaf && rootOfProof(leaf, low.index, siblings, sha256)).toEqual(proofs?.head.root);
      }
      return proofs?.head;
    }

    it('knows nothing at first', async () => {
      expect((await store.takePosition(7, 1)).offset).toBeNull();
      await nowAndLater(async () => {
        expect([await store.findSlot(), await store.findPosition(0), await store.listHeads()]).toEqual([
          null,
          null,
          [],
        ]);
        expect(await store.findHead(V1.tree)).toBeNull();
        expect(await store.findLowElements(V1.tree, addresses(0, 2))).toEqual([undefined, undefined]);
        expect(await store.readPages(V1.tree, [0])).toEqual(new Map());
        expect(await store.readQueue(V1.tree, 0n, 9n)).toEqual(new Map());
        expect(await store.readProofs(V1.tree, addresses(0, 1))).toBeNull();
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
      const head = { ...commitOf(grownTree(V2)).head, info: { ...info, observed }, seq: 2n ** 53n + 1n, seen };
      await commit([{ ...commitOf(grownTree(V2)), head }]);
      await nowAndLater(async () => {
        expect(await store.findHead(V2.tree)).toEqual(head);
      });
      const closed = { ...head, info: { ...V2, queue: V1.queue }, fault: 'it is "wrong"' };
      await commit([{ ...commitOf(grownTree(V2)), head: closed }]);
      await nowAndLater(async () => {
        expect(await store.listHeads()).toEqual([closed]);
      });
    });

    it('gives back pages, and those that exist only', async () => {
      const { head, pages, ...rest } = commitOf(grownTree());
      await commit([{ head, pages, ...rest }]);
      await nowAndLater(async () => {
        expect(await store.readPages(V1.tree, [...pages.keys()])).toEqual(new Map(pages));
        const [leafPage, ...above] = pagesOnPath(2 ** 25, 26);
        expect([...(await store.readPages(V1.tree, [leafPage, ...above])).keys()]).toEqual(above.slice(-1));
      });
    });

    it('keeps trees apart', async () => {
      const [one, other] = [grownTree(V1, 20), grownTree(V2, 7)];
      await commit([commitOf(one), commitOf(other)], { slot: toSlot(5) });
      await nowAndLater(async () => {
        const heads = await store.listHeads();
        expect(heads.map(({ root }) => root.toString('hex')).sort()).toEqual(
          [one.root, other.root].map((root) => root.toString('hex')).sort(),
        );
        const asked = addresses(50, 60);
        expect(await store.findLowElements(V1.tree, asked)).toEqual(asked.map((address) => one.lowOf(address)));
        expect(await store.findLowElements(V2.tree, asked)).toEqual(asked.map((address) => other.lowOf(address)));
      });
    });

    it('finds the element below each value, in the order asked for', async () => {
      const model = grownTree();
      await commit([commitOf(model)]);
      const asked = [...addresses(0, 40), testAddress(3), MAX_ADDRESS, Buffer.alloc(32, 0xff) as Hash];
      await nowAndLater(async () => {
        expect(await store.findLowElements(V1.tree, asked)).toEqual(asked.map((value) => model.lowOf(value)));
        expect(await store.findLowElements(V1.tree, [ZERO_HASH])).toEqual([undefined]);
      });
    });

    it('replaces an element that is written again', async () => {
      const model = grownTree();
      await commit([commitOf(model)]);
      const { updates } = model.insert(testAddress(99));
      const { head } = commitOf(model);
      await commit([{ ...commitOf(model), head, elements: updates.flatMap(({ low, high }) => [low, high]) }]);
      const above = Buffer.from(testAddress(99)) as Hash;
      above[31]++;
      await nowAndLater(async () => {
        const found = await store.findLowElements(V1.tree, [testAddress(99), above]);
        expect(found).toEqual([updates[0].low, updates[0].high]);
      });
    });

    it('holds the queue until its addresses are leaves', async () => {
      const model = new AddressTreeModel(V2, sha256);
      model.enqueue(...addresses(0, 6));
      await commit([commitOf(model, new Map(range(0, 5).map((at) => [BigInt(at), testAddress(at)])))]);
      await nowAndLater(async () => {
        const kept = await store.readQueue(V2.tree, 1n, 3n);
        expect([...kept].sort()).toEqual([1, 2].map((at) => [BigInt(at), testAddress(at)]));
      });
      model.batch(2);
      // What waits at the end of the queue came in the same step; the place between is not known.
      await commit([commitOf(model, new Map([[6n, testAddress(6)]]))]);
      await nowAndLater(async () => {
        const kept = await store.readQueue(V2.tree, 0n, 100n);
        expect([...kept.keys()].sort()).toEqual([2n, 3n, 4n, 6n]);
        expect(await store.readQueue(V2.tree, 3n, 3n)).toEqual(new Map());
      });
    });

    it('proves from pages and elements, and says which addresses are taken', async () => {
      const model = grownTree();
      await commit([commitOf(model, new Map([[0n, testAddress(77)]]))], { slot: toSlot(8) });
      const asked = [testAddress(50), testAddress(3), testAddress(77), testAddress(50), MAX_ADDRESS];
      await nowAndLater(async () => {
        const proofs = await store.readProofs(V1.tree, asked);
        expect([proofs?.slot, proofs?.head.root]).toEqual([8, model.root]);
        expect(proofs?.items.map(({ low }) => low)).toEqual(asked.map((address) => model.lowOf(address)));
        expect(proofs?.items.map(({ siblings }) => siblings)).toEqual(
          asked.map((address) => model.siblingsOf(model.lowOf(address).index)),
        );
        expect(proofs?.items.map(({ isTaken }) => isTaken)).toEqual([false, true, true, false, true]);
        const [zero] = (await store.readProofs(V1.tree, [ZERO_HASH]))?.items ?? [];
        expect([zero.low, zero.isTaken]).toEqual([undefined, true]);
        expect(await store.readProofs(V2.tree, asked)).toBeNull();
      });
    });

    it('has no proofs before it knows a slot', async () => {
      await commit([commitOf(grownTree())]);
      expect(await store.readProofs(V1.tree, addresses(0, 1))).toBeNull();
      await commit([], { slot: toSlot(0) });
      expect(await store.readProofs(V1.tree, addresses(0, 1))).toMatchObject({ slot: 0 });
    });

    it('shows a commit as a whole or not at all', async () => {
      const model = grownTree(V1, 2);
      await commit([commitOf(model)], { slot: toSlot(2) });
      for (const count of range(3, 12)) {
        model.insert(testAddress(count));
        const done = commit([commitOf(model)], { slot: toSlot(count) });
        const reads = range(0, 5).map(() => expectTrueProofs(addresses(50, 60)));
        await done;
        for (const head of await Promise.all(reads)) {
          expect([model.seq - 2n, model.seq]).toContain(head?.seq);
        }
        expect((await expectTrueProofs(addresses(50, 60)))?.seq).toBe(model.seq);
      }
    });

    it('never goes back to an earlier slot', async () => {
      for (const slot of [5, 4, null, 6, 6, 0]) await commit([], { slot: slot === null ? null : toSlot(slot) });
      await nowAndLater(async () => {
        expect(await store.findSlot()).toBe(6);
      });
    });

    describe('its position', () => {
      beforeEach(async () => {
        for (const partition of [0, 3]) epochs[partition] = (await store.takePosition(partition, 1)).epoch;
      });

      it('moves with the data, in each partition on its own', async () => {
        await commit([commitOf(grownTree())], { position: move(0n, 5n) });
        await commit([], { position: move(5n, 2n ** 53n + 1n) });
        await commit([], { position: move(40n, 41n, 3) });
        await commit([]);
        await nowAndLater(async () => {
          const positions = await Promise.all([0, 1, 3].map((partition) => store.findPosition(partition)));
          expect(positions).toEqual([2n ** 53n + 1n, null, 41n]);
        });
      });

      it.each([
        ['behind it', 6n, 7n],
        ['before it', 0n, 4n],
        ['before it that ends behind it', 4n, 9n],
      ])('that another writer moved stops a whole commit from %s', async (_, from, to) => {
        await commit([commitOf(grownTree(V1, 3))], { slot: toSlot(1), position: move(0n, 5n) });
        const { head } = commitOf(grownTree(V1, 3));
        const position = move(from, to);
        const late = commit([commitOf(grownTree(V1, 9)), commitOf(grownTree(V2))], { slot: toSlot(2), position });
        await expect(late).rejects.toMatchObject({ code: 'stale-position', isRetryable: false });
        await nowAndLater(async () => {
          expect([await store.findSlot(), await store.findPosition(0), await store.listHeads()]).toEqual([
            1,
            5n,
            [head],
          ]);
          expect(await store.findLowElements(V2.tree, addresses(0, 1))).toEqual([undefined]);
        });
      });

      it('that another writer took stops who had it, whatever its place', async () => {
        await commit([commitOf(grownTree(V1, 3))], { slot: toSlot(1), position: move(0n, 5n) });
        const { offset, epoch } = await store.takePosition(0, 1);
        expect([offset, epoch > move(5n, 6n).epoch]).toEqual([5n, true]);
        for (const position of [move(5n, 6n), move(0n, 5n)]) {
          const late = commit([commitOf(grownTree(V1, 9))], { slot: toSlot(2), position });
          await expect(late).rejects.toMatchObject({ code: 'stale-position', isRetryable: false });
        }
        await commit([], { slot: toSlot(3), position: { ...move(5n, 6n), epoch } });
        await nowAndLater(async () => {
          const [head] = await store.listHeads();
          expect([head, await store.findSlot()]).toEqual([commitOf(grownTree(V1, 3)).head, 3]);
        });
      });

      it('lets a commit through again whose answer was lost', async () => {
        const again = () => commit([commitOf(grownTree(V1, 3))], { slot: toSlot(1), position: move(0n, 5n) });
        await again();
        await again();
        await nowAndLater(async () => {
          expect([await store.findPosition(0), (await store.listHeads()).length]).toEqual([5n, 1]);
        });
      });

      it('lets one of two writers through', async () => {
        await commit([], { position: move(0n, 5n) });
        const results = await Promise.allSettled(
          [6, 7].map((slot) => commit([], { slot: toSlot(slot), position: move(5n, BigInt(slot)) })),
        );
        expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
        const winner = results[0].status === 'fulfilled' ? 6 : 7;
        await nowAndLater(async () => {
          expect([await store.findSlot(), await store.findPosition(0)]).toEqual([winner, BigInt(winner)]);
        });
      });
    });
  });
}
