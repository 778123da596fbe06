import { toSlot, ZERO_HASH } from '@fresnel/domain/primitives';
import { stateOf, type TreeHead, type UndoRecord } from '@fresnel/domain/trees';
import { testHash } from '@fresnel/testing/slots';
import { AddressTreeModel, commitOf, testAddressTree } from '@fresnel/testing/trees';
import { poseidon } from '@fresnel/domain/poseidon';
import { PastTrees } from './trees-at-slot';
import { encodeUndo } from './undo.codec';

const [{ head: HEAD }] = [commitOf(new AddressTreeModel(testAddressTree('addressV1'), poseidon))];

/** A tree after so many changes, one at every tenth slot. Every third root was not computed. */
const after = (count: number): TreeHead => ({
  ...HEAD,
  seq: BigInt(count),
  nextIndex: count,
  root: testHash(count),
  changes: { count, lastSlot: toSlot(count * 10) },
});

function undoTo(before: number): UndoRecord {
  const changes = { rewritten: [], appended: [], leaves: [], nullified: [] };
  return {
    ...changes,
    slot: toSlot(before * 10 + 10),
    blockhash: ZERO_HASH,
    before: stateOf(after(before), before % 3 > 0),
  };
}

const read = (count: number, oldest: number) =>
  PastTrees.read({
    listHeads: () => Promise.resolve([after(count)]),
    readUndo: () =>
      Promise.resolve(
        Array.from({ length: count - oldest }, (_, at) => ({
          number: oldest + at,
          record: encodeUndo(undoTo(oldest + at)),
          entry: null,
        })),
      ),
  });

describe('PastTrees', () => {
  it.each([
    [70, 7, testHash(7)],
    [95, 7, testHash(7)],
    [69, 6, null],
    [60, 6, null],
    [59, 5, testHash(5)],
    [40, 4, testHash(4)],
  ])('knows a tree at slot %d', async (slot, seq, root) => {
    const [tree] = (await read(7, 4)).at(toSlot(slot)) ?? [];
    expect(tree).toEqual({ info: HEAD.info, seq: BigInt(seq), nextIndex: seq, root });
  });

  it('does not know it before the oldest change that can be reverted', async () => {
    expect((await read(7, 4)).at(toSlot(39))).toBeNull();
  });

  it('leaves out a tree that had not changed yet', async () => {
    expect((await read(2, 0)).at(toSlot(9))).toEqual([]);
  });
});
