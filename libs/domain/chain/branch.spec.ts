import { toHash, toSlot } from '@fresnel/domain/primitives';
import { blockKey, type BlockLink, type BlockRef } from './block-ref';
import { Branch } from './branch';

const refOf = (slot: number, fork = 0): BlockRef => ({
  slot: toSlot(slot),
  blockhash: toHash(Buffer.alloc(32, `${fork}/${slot} `)),
});
const linkOf = (slot: number, parentSlot = slot - 1, fork = 0, parentFork = fork): BlockLink => {
  const { slot: parent, blockhash } = refOf(parentSlot, parentFork);
  return { ...refOf(slot, fork), parentSlot: parent, parentBlockhash: blockhash };
};
const slotsOf = (blocks: readonly BlockRef[]) => blocks.map(({ slot }) => slot);

describe('Branch', () => {
  it('has neither a tip nor an oldest block while it is empty', () => {
    const branch = new Branch(3);
    expect([branch.tip, branch.oldest, branch.blocks]).toEqual([null, null, []]);
    expect(branch.above(refOf(1))).toEqual([]);
  });

  it('keeps the newest blocks up to its limit', () => {
    const branch = new Branch(
      3,
      [1, 2, 4].map((slot) => refOf(slot)),
    );
    branch.append(refOf(5));
    expect(slotsOf(branch.blocks)).toEqual([2, 4, 5]);
    expect([branch.oldest, branch.tip]).toEqual([refOf(2), refOf(5)]);
    expect([1, 2, 5].map((slot) => branch.has(refOf(slot)))).toEqual([false, true, true]);
  });

  it('has only the blocks of its own fork', () => {
    const branch = new Branch(3, [refOf(1), refOf(2)]);
    expect(branch.has(refOf(2, 1))).toBe(false);
  });

  it('finds the fork point: the parent of a block of another fork', () => {
    const branch = new Branch(
      3,
      [1, 2, 3].map((slot) => refOf(slot)),
    );
    expect(branch.findParent(linkOf(4, 2, 1, 0))).toEqual(refOf(2));
    expect(branch.findParent(linkOf(4, 2, 1, 1))).toBeNull();
    expect(branch.findParent(linkOf(4, 3))).toEqual(refOf(3));
  });

  it('lists the blocks above a fork point, newest first, and all when the fork point is on another fork', () => {
    const branch = new Branch(
      4,
      [1, 2, 3].map((slot) => refOf(slot)),
    );
    expect(slotsOf(branch.above(refOf(1)))).toEqual([3, 2]);
    expect(branch.above(refOf(3))).toEqual([]);
    expect(slotsOf(branch.above(refOf(1, 1)))).toEqual([3, 2, 1]);
  });

  it('removes the blocks at and above a slot', () => {
    const branch = new Branch(
      4,
      [1, 2, 4].map((slot) => refOf(slot)),
    );
    branch.truncateFrom(toSlot(2));
    expect(slotsOf(branch.blocks)).toEqual([1]);
    expect([1, 2, 4].map((slot) => branch.has(refOf(slot)))).toEqual([true, false, false]);
    branch.truncateFrom(toSlot(2));
    expect(slotsOf(branch.blocks)).toEqual([1]);
    branch.truncateFrom(toSlot(0));
    expect(branch.blocks).toEqual([]);
  });

  describe('that ends at a block', () => {
    const links = (...blocks: BlockLink[]) => new Map(blocks.map((block) => [blockKey(block), block]));

    it('follows the parents across skipped slots', () => {
      const known = links(linkOf(1), linkOf(2), linkOf(5, 2), linkOf(2, 1, 1, 0));
      expect(slotsOf(Branch.endingAt(linkOf(5, 2), known, 10).blocks)).toEqual([1, 2, 5]);
    });

    it('begins above the first unknown parent', () => {
      expect(slotsOf(Branch.endingAt(linkOf(4), links(linkOf(3), linkOf(1)), 10).blocks)).toEqual([3, 4]);
    });

    it('has no more blocks than its limit', () => {
      expect(slotsOf(Branch.endingAt(linkOf(4), links(linkOf(1), linkOf(2), linkOf(3)), 2).blocks)).toEqual([3, 4]);
    });
  });
});
