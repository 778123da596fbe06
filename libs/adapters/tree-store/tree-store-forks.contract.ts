import { type Hash, MAX_U64, toSlot } from '@fresnel/domain/primitives';
import { type AddressTreeHead, MAX_ADDRESS, stateOf, UNDO_DEPTH, type UndoRecord } from '@fresnel/domain/trees';
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
import { type TreeCommit } from './tree-store';

/** The head of a tree that so many blocks have changed. */
function changed(head: AddressTreeHead, times: number): AddressTreeHead {
  return { ...head, changes: { count: times, lastSlot: toSlot(times) } };
}

/** Records that lead from change to change. */
function undoRecords(head: AddressTreeHead, from: number, to: number, branch = 'main'): UndoRecord[] {
  return numbers(from, to).map((number) => ({
    slot: toSlot(number),
    blockhash: blockhashAt(number, branch),
    before: stateOf(changed(head, number), true),
    rewritten: [],
    appended: [{ index: number, value: testAddress(number) }],
  }));
}

/** What every tree store does to follow a chain that leaves blocks. */
export function describeForksInStore(under: TestTreeStore): void {
  describe('when the chain leaves blocks', () => {
    /** A commit that counts so many changes, and brings the records of the last of them. */
    function changeOf(times: number, undo: UndoRecord[], of: TreeCommit = commitOf(filledTree())): TreeCommit {
      return { ...of, head: changed(of.head, times), undo };
    }
    const { head } = commitOf(filledTree());

    it('knows how to take back every part of a change', async () => {
      const before = {
        ...stateOf(head, true),
        seq: MAX_U64,
        nextIndex: 2 ** 40,
        queueEnd: MAX_U64,
        seen: { seq: MAX_U64, queueEnd: MAX_U64 - 1n },
        quarantineReason: 'it is “wrong”',
      };
      const [element] = filledTree().all;
      const full: UndoRecord = {
        slot: toSlot(2 ** 52),
        blockhash: MAX_ADDRESS,
        before,
        rewritten: [element, { ...element, index: 2 ** 40 - 1, nextIndex: 2 ** 33 }],
        appended: [{ index: 2 ** 40 - 2, value: testAddress(7) }],
      };
      const bare: UndoRecord = {
        slot: toSlot(0),
        blockhash: blockhashAt(0),
        before: { ...stateOf(changed(head, 1), false), quarantineReason: '' },
        rewritten: [],
        appended: [],
      };
      await under.commit([changeOf(2, [full, bare])]);
      await under.beforeAndAfterReopening(async () => {
        expect(await under.store.readUndo(V1.tree)).toEqual([full, bare]);
        expect(await under.store.readUndo(V2.tree)).toEqual([]);
      });
    });

    it('gives back what a head says of changes and doubts', async () => {
      const untrusted = { from: toSlot(2 ** 52), to: toSlot(2 ** 52 + 1) };
      const stored = { ...changed(head, 2 ** 33), untrusted };
      await under.commit([{ ...commitOf(filledTree()), head: stored }]);
      await under.beforeAndAfterReopening(async () => {
        expect(await under.store.findHead(V1.tree)).toEqual(stored);
      });
    });

    it('keeps the records of the last changes, and of each change one', async () => {
      const records = undoRecords(head, 0, UNDO_DEPTH + 10);
      await under.commit([changeOf(3, records.slice(0, 3))]);
      await under.commit([changeOf(5, records.slice(3, 5))]);
      await under.beforeAndAfterReopening(async () => {
        expect(await under.store.readUndo(V1.tree)).toEqual(records.slice(0, 5));
      });
      // Two changes were taken back, and another one was made.
      const other = undoRecords(head, 3, 4, 'other');
      await under.commit([changeOf(4, other)]);
      await under.beforeAndAfterReopening(async () => {
        expect(await under.store.readUndo(V1.tree)).toEqual([...records.slice(0, 3), ...other]);
      });
      await under.commit([changeOf(2, [])]);
      await under.beforeAndAfterReopening(async () => {
        expect(await under.store.readUndo(V1.tree)).toEqual(records.slice(0, 2));
      });
      await under.commit([changeOf(6, records.slice(2, 6))]);
      await under.commit([changeOf(records.length, records.slice(6))]);
      await under.beforeAndAfterReopening(async () => {
        expect(await under.store.readUndo(V1.tree)).toEqual(records.slice(-UNDO_DEPTH));
      });
    });

    it('takes more records at once than it keeps', async () => {
      const records = undoRecords(head, 0, 3 * UNDO_DEPTH);
      await under.commit([changeOf(records.length, records)]);
      await under.beforeAndAfterReopening(async () => {
        expect(await under.store.readUndo(V1.tree)).toEqual(records.slice(-UNDO_DEPTH));
      });
    });

    it('takes records once that are committed again because the answer was lost', async () => {
      await under.claim(0);
      const records = undoRecords(head, 0, 5);
      const again = (commit: TreeCommit, from: bigint) =>
        under.commit([commit], { position: under.move(from, from + 1n) });
      await again(changeOf(5, records), 0n);
      const shortened = changeOf(3, []);
      for (const commit of [shortened, shortened]) await again(commit, 1n);
      const longer = changeOf(4, undoRecords(head, 3, 4, 'other'));
      for (const commit of [longer, longer]) await again(commit, 2n);
      await under.beforeAndAfterReopening(async () => {
        expect(await under.store.readUndo(V1.tree)).toEqual([...records.slice(0, 3), ...longer.undo]);
      });
    });

    it('removes elements, and gives their places to others in the same step', async () => {
      const [left, kept] = [filledTree(), filledTree()];
      left.insert(...testAddresses(100, 110));
      kept.insert(...testAddresses(105, 120));
      await under.commit([commitOf(left)]);
      const removed = left.all.slice(22).map(({ index, value }) => ({ index, value }));
      await under.commit([{ ...commitOf(kept), removed }]);
      const asked = [...testAddresses(0, 130), MAX_ADDRESS];
      await under.beforeAndAfterReopening(async () => {
        const found = await under.store.findLowElements(V1.tree, asked);
        expect(found).toEqual(asked.map((address) => kept.lowOf(address)));
      });
      await under.commit([], { slot: toSlot(1) });
      const { items = [] } = (await under.store.readProofs(V1.tree, testAddresses(100, 120))) ?? {};
      expect(items.map(({ exists }) => exists)).toEqual([...Array(5).fill(false), ...Array(15).fill(true)]);
    });

    it('cuts the queue, and puts others there in the same step', async () => {
      const model = new AddressTreeModel(V2, sha256);
      const placed = (addresses: Hash[], from = 0) =>
        new Map(addresses.map((address, at) => [BigInt(from + at), address]));
      await under.commit([commitOf(model, placed(testAddresses(0, 6)))], { slot: toSlot(1) });
      const queued = placed([testAddress(5), testAddress(7)], 4);
      await under.commit([{ ...commitOf(model, queued), queueTruncatedFrom: 3n }]);
      await under.beforeAndAfterReopening(async () => {
        const expected = [...placed(testAddresses(0, 3)), ...queued];
        expect([...(await under.store.readQueue(V2.tree, 0n, 9n))]).toEqual(expected);
        const { items = [] } = (await under.store.readProofs(V2.tree, testAddresses(0, 8))) ?? {};
        expect(items.map(({ exists }) => exists)).toEqual([true, true, true, false, false, true, false, true]);
      });
    });

    it('goes back to the slot that all is taken back to, and on from there', async () => {
      const recent = [{ slot: toSlot(3), blockhash: blockhashAt(3), isOrphaned: false }];
      await under.commit([commitOf(filledTree())], { slot: toSlot(20) });
      const steps: [forkPointSlot: number | null, slot: number | null, expected: number][] = [
        [21, null, 20],
        [17, null, 17],
        [17, 10, 17],
        [14, 16, 16],
        [null, 12, 16],
        [15, 30, 30],
        [0, null, 0],
      ];
      for (const [back, forth, expected] of steps) {
        const forkPointSlot = back === null ? null : toSlot(back);
        const slot = forth === null ? null : toSlot(forth);
        await under.commit([], { slot, blocks: { recent, forkPointSlot } });
        await under.beforeAndAfterReopening(async () => {
          const proofs = await under.store.readProofs(V1.tree, testAddresses(50, 51));
          const slots = [await under.store.findSlot(), await under.store.findTreeSlot(V1.tree), proofs?.slot];
          expect(slots).toEqual([expected, expected, expected]);
        });
      }
    });

    it('stays without a slot where none was reached', async () => {
      await under.commit([commitOf(filledTree())], { blocks: { recent: [], forkPointSlot: toSlot(5) } });
      await under.beforeAndAfterReopening(async () => {
        expect([await under.store.findSlot(), await under.store.findTreeSlot(V1.tree)]).toEqual([null, null]);
      });
    });

    it('remembers the blocks of each partition with its position', async () => {
      const blocks = numbers(0, 200).map((slot) => ({
        slot: toSlot(2 ** 52 + slot),
        blockhash: blockhashAt(slot),
        isOrphaned: slot % 3 === 0,
      }));
      for (const partition of [0, 3]) {
        await under.claim(partition);
        const recent = blocks.slice(partition);
        const position = under.move(0n, 1n, partition);
        await under.commit([], { position, blocks: { recent, forkPointSlot: null } });
        await under.commit([], { position: under.move(1n, 2n, partition) });
      }
      const stale = under.commit([], { position: under.move(0n, 1n), blocks: { recent: [], forkPointSlot: null } });
      await expect(stale).rejects.toMatchObject({ code: 'fenced' });
      await under.beforeAndAfterReopening(async () => {
        const found = await Promise.all([0, 1, 3].map((partition) => under.store.readBlocks(partition)));
        expect(found).toEqual([blocks, [], blocks.slice(3)]);
      });
    });
  });
}
