import { type Hash, MAX_U64, toSlot } from '@fresnel/domain/primitives';
import { type TreeHead, MAX_ADDRESS, stateOf, UNDO_DEPTH, type UndoRecord } from '@fresnel/domain/trees';
import { blockhashAt } from '@fresnel/testing/chain';
import {
  AddressTreeModel,
  commitOf,
  filledTree,
  numbers,
  sha256,
  type TestTreeStore,
  testAddress,
  testAddresses,
  V1,
  V2,
} from '@fresnel/testing/trees';
import { type RecentBlock, type TreeCommit } from './tree-store';

/** A block of any state, with every second field that may be absent. */
function recentBlock(slot: number): RecentBlock {
  return {
    slot: toSlot(slot),
    blockhash: blockhashAt(slot),
    parentSlot: slot % 2 === 0 ? null : toSlot(slot - 1),
    state: (['admitted', 'orphaned', 'refused'] as const)[slot % 3],
    changesTrees: slot % 4 === 0,
  };
}

/** A head after `count` changes. */
function changed(head: TreeHead, count: number): TreeHead {
  return { ...head, changes: { count, lastSlot: toSlot(count) } };
}

/** The undo records of consecutive changes. */
function undoRecords(head: TreeHead, from: number, to: number, branch = 'main'): UndoRecord[] {
  return numbers(from, to).map((number) => ({
    slot: toSlot(number),
    blockhash: blockhashAt(number, branch),
    before: stateOf(changed(head, number), true),
    rewritten: [],
    appended: [{ index: number, value: testAddress(number) }],
    leaves: [],
    nullified: [],
  }));
}

/** The part of the tree store contract that is about forks. */
export function describeForksInStore(testStore: TestTreeStore): void {
  describe('with forks', () => {
    /** A commit whose head has `count` changes, with the undo records of the last ones. */
    function changeOf(count: number, undo: UndoRecord[], of: TreeCommit = commitOf(filledTree())): TreeCommit {
      return { ...of, head: changed(of.head, count), undo };
    }
    const { head } = commitOf(filledTree());

    it('stores all values of undo records', async () => {
      const before = {
        ...stateOf(head, true),
        seq: MAX_U64,
        nextIndex: 2 ** 40,
        queueEnd: MAX_U64,
        inputQueueStart: 2n ** 62n,
        inputQueueEnd: 2n ** 63n,
        migratedSlot: toSlot(2 ** 52),
        seen: {
          seq: MAX_U64,
          queueEnd: MAX_U64 - 1n,
          inputQueueEnd: MAX_U64 - 2n,
          migratedSlot: toSlot(2 ** 53 - 1),
        },
        quarantineReason: 'it is “wrong”',
      };
      const [element] = filledTree().all;
      const full: UndoRecord = {
        slot: toSlot(2 ** 52),
        blockhash: MAX_ADDRESS,
        before,
        rewritten: [element, { ...element, index: 2 ** 40 - 1, nextIndex: 2 ** 33 }],
        appended: [{ index: 2 ** 40 - 2, value: testAddress(7) }],
        leaves: [{ leafIndex: 2 ** 32 - 1, hash: testAddress(8) }],
        nullified: [
          {
            queueIndex: MAX_U64,
            leafIndex: 2 ** 32 - 2,
            hash: testAddress(10),
            txHash: testAddress(11),
            nullifier: testAddress(9),
          },
        ],
      };
      const bare: UndoRecord = {
        slot: toSlot(0),
        blockhash: blockhashAt(0),
        before: { ...stateOf(changed(head, 1), false), quarantineReason: '' },
        rewritten: [],
        appended: [],
        leaves: [],
        nullified: [],
      };
      await testStore.commit([changeOf(2, [full, bare])]);
      await testStore.beforeAndAfterReopening(async () => {
        expect(await (await testStore.open(V1.tree)).readUndo()).toEqual([full, bare]);
        expect(await (await testStore.open(V2.tree)).readUndo()).toEqual([]);
      });
    });

    it('stores changes and the untrusted range of a head', async () => {
      const untrusted = { from: toSlot(2 ** 52), to: toSlot(2 ** 52 + 1) };
      const stored = { ...changed(head, 2 ** 33), untrusted };
      await testStore.commit([{ ...commitOf(filledTree()), head: stored }]);
      await testStore.beforeAndAfterReopening(async () => {
        expect((await testStore.open(V1.tree)).head).toEqual(stored);
      });
    });

    it('keeps one undo record for each of the last changes', async () => {
      const records = undoRecords(head, 0, UNDO_DEPTH + 10);
      await testStore.commit([changeOf(3, records.slice(0, 3))]);
      await testStore.commit([changeOf(5, records.slice(3, 5))]);
      await testStore.beforeAndAfterReopening(async () => {
        expect(await (await testStore.open(V1.tree)).readUndo()).toEqual(records.slice(0, 5));
      });
      // Two changes are reverted, and another one is made.
      const other = undoRecords(head, 3, 4, 'other');
      await testStore.commit([changeOf(4, other)]);
      await testStore.beforeAndAfterReopening(async () => {
        expect(await (await testStore.open(V1.tree)).readUndo()).toEqual([...records.slice(0, 3), ...other]);
      });
      await testStore.commit([changeOf(2, [])]);
      await testStore.beforeAndAfterReopening(async () => {
        expect(await (await testStore.open(V1.tree)).readUndo()).toEqual(records.slice(0, 2));
      });
      await testStore.commit([changeOf(6, records.slice(2, 6))]);
      await testStore.commit([changeOf(records.length, records.slice(6))]);
      await testStore.beforeAndAfterReopening(async () => {
        expect(await (await testStore.open(V1.tree)).readUndo()).toEqual(records.slice(-UNDO_DEPTH));
      });
    });

    it('accepts a commit with more undo records than it keeps', async () => {
      const records = undoRecords(head, 0, 3 * UNDO_DEPTH);
      await testStore.commit([changeOf(records.length, records)]);
      await testStore.beforeAndAfterReopening(async () => {
        expect(await (await testStore.open(V1.tree)).readUndo()).toEqual(records.slice(-UNDO_DEPTH));
      });
    });

    it('removes elements and adds others with the same leaf indexes in one commit', async () => {
      const [orphaned, canonical] = [filledTree(), filledTree()];
      orphaned.insert(...testAddresses(100, 110));
      canonical.insert(...testAddresses(105, 120));
      await testStore.commit([commitOf(orphaned)]);
      const removed = orphaned.all.slice(22).map(({ index, value }) => ({ index, value }));
      await testStore.commit([{ ...commitOf(canonical), removed }]);
      const requested = [...testAddresses(0, 130), MAX_ADDRESS];
      await testStore.beforeAndAfterReopening(async () => {
        const found = await (await testStore.open(V1.tree)).findLowElements(requested);
        expect(found).toEqual(requested.map((address) => canonical.lowOf(address)));
      });
      await testStore.commit([], { slot: toSlot(1) });
      const { items = [] } = (await testStore.store.readProofs(V1.tree, testAddresses(100, 120))) ?? {};
      expect(items.map(({ exists }) => exists)).toEqual([...Array(5).fill(false), ...Array(15).fill(true)]);
    });

    it('truncates the queue and adds other addresses in one commit', async () => {
      const model = new AddressTreeModel(V2, sha256);
      const placed = (addresses: Hash[], from = 0) =>
        new Map(addresses.map((address, at) => [BigInt(from + at), address]));
      await testStore.commit([commitOf(model, placed(testAddresses(0, 6)))], { slot: toSlot(1) });
      const queued = placed([testAddress(5), testAddress(7)], 4);
      const commit = commitOf(model, queued);
      await testStore.commit([{ ...commit, queue: { ...commit.queue, truncatedFrom: 3n } }]);
      await testStore.beforeAndAfterReopening(async () => {
        const expected = [...placed(testAddresses(0, 3)), ...queued];
        expect([...(await (await testStore.open(V2.tree)).readQueue(0n, 9n))]).toEqual(expected);
        const { items = [] } = (await testStore.store.readProofs(V2.tree, testAddresses(0, 8))) ?? {};
        expect(items.map(({ exists }) => exists)).toEqual([true, true, true, false, false, true, false, true]);
      });
    });

    it('lowers its slot to the fork point, and raises it again', async () => {
      const recent = [recentBlock(3)];
      await testStore.commit([commitOf(filledTree())], { slot: toSlot(20) });
      const steps: [forkPointSlot: number | null, slot: number | null, expected: number][] = [
        [21, null, 20],
        [17, null, 17],
        [17, 10, 17],
        [14, 16, 16],
        [null, 12, 16],
        [15, 30, 30],
        [0, null, 0],
      ];
      for (const [forkPoint, newSlot, expected] of steps) {
        const forkPointSlot = forkPoint === null ? null : toSlot(forkPoint);
        const slot = newSlot === null ? null : toSlot(newSlot);
        await testStore.commit([], { slot, blocks: { recent, forkPointSlot, hasRefused: false } });
        await testStore.beforeAndAfterReopening(async () => {
          const proofs = await testStore.store.readProofs(V1.tree, testAddresses(50, 51));
          const slots = [await testStore.store.findSlot(), await testStore.store.findTreeSlot(V1.tree), proofs?.slot];
          expect(slots).toEqual([expected, expected, expected]);
        });
      }
    });

    it('has no slot after a revert if it had none before', async () => {
      await testStore.commit([commitOf(filledTree())], {
        blocks: { recent: [], forkPointSlot: toSlot(5), hasRefused: false },
      });
      await testStore.beforeAndAfterReopening(async () => {
        expect([await testStore.store.findSlot(), await testStore.store.findTreeSlot(V1.tree)]).toEqual([null, null]);
      });
    });

    it('names the block that it is as of, also after a revert', async () => {
      const recent = [
        {
          slot: toSlot(7),
          blockhash: blockhashAt(7, 'main'),
          parentSlot: toSlot(6),
          state: 'admitted' as const,
          changesTrees: true,
        },
      ];
      await testStore.commit([commitOf(filledTree())], { slot: toSlot(9) });
      const blockhash = async () => (await testStore.store.readHead(V1.tree))?.blockhash;
      expect(await blockhash()).toEqual(blockhashAt(9));
      for (const [forkPointSlot, expected] of [
        [7, recent[0].blockhash],
        [5, null],
      ] as const) {
        await testStore.commit([], { blocks: { recent, forkPointSlot: toSlot(forkPointSlot), hasRefused: false } });
        await testStore.beforeAndAfterReopening(async () => {
          expect(await blockhash()).toEqual(expected);
        });
      }
    });

    it('shows that blocks of the partition are refused, until none is', async () => {
      await testStore.commit([commitOf(filledTree())], { slot: toSlot(9) });
      for (const hasRefused of [true, false]) {
        await testStore.commit([], { blocks: { recent: [], forkPointSlot: null, hasRefused } });
        await testStore.commit([]);
        await testStore.beforeAndAfterReopening(async () => {
          expect(await testStore.store.readHead(V1.tree)).toMatchObject({ slot: 9, hasRefused });
          expect((await testStore.claim()).hasRefused).toBe(hasRefused);
        });
      }
    });

    it('stores the recent blocks of each partition with its position', async () => {
      const blocks = numbers(0, 200).map((slot) => recentBlock(2 ** 52 + slot));
      for (const partition of [0, 3]) {
        const recent = blocks.slice(partition);
        await testStore.commit([], { partition, blocks: { recent, forkPointSlot: null, hasRefused: false } });
        await testStore.commit([], { partition });
      }
      await testStore.beforeAndAfterReopening(async () => {
        const found = await Promise.all([0, 1, 3].map(async (at) => (await testStore.claim(at)).blocks));
        expect(found).toEqual([blocks, [], blocks.slice(3)]);
      });
    });
  });
}
