import { type BlockLink } from '@fresnel/domain/chain';
import { toSlot } from '@fresnel/domain/primitives';
import { blockhashAt, blockLinkAt, range } from '@fresnel/testing/chain';
import { RecentBlocks } from './recent-blocks';

const block = (slot: number, branch = 'main', parent = slot - 1): BlockLink => ({
  ...blockLinkAt(slot, branch),
  parentSlot: toSlot(parent),
  parentBlockhash: blockhashAt(parent, branch),
});

/** A branch of admitted blocks, in this order. */
function branchOf(...blocks: BlockLink[]): RecentBlocks {
  const recent = new RecentBlocks([]);
  for (const one of blocks) expect(recent.admit(one)).toBe(true);
  return recent;
}

describe('the recent blocks of a partition', () => {
  it('admit blocks in chain order, repeated blocks, and blocks older than the branch', () => {
    const recent = branchOf(block(10), block(11), block(14));
    for (const slot of [10, 14, 11, 3, 9]) expect(recent.admit(block(slot))).toBe(true);
    expect(recent.all.map(({ slot }) => slot)).toEqual([10, 11, 14]);
  });

  it('report a block of the branch as orphaned once, and never admit it again', () => {
    const recent = branchOf(block(10), block(11), block(12));
    expect([12, 11].map((slot) => recent.markOrphaned(block(slot)))).toEqual([true, true]);
    for (const slot of [11, 12]) {
      expect(recent.markOrphaned(block(slot))).toBe(false);
      expect(recent.admit(block(slot))).toBe(false);
    }
    expect(recent.admit(block(12, 'other'))).toBe(true);
    expect(recent.admit(block(13, 'other'))).toBe(true);
    for (const slot of [11, 12]) expect(recent.admit(block(slot))).toBe(false);
  });

  it('admit a block after an orphaned block unless it is orphaned too', () => {
    const recent = branchOf(block(10), block(11), block(12));
    expect(recent.markOrphaned(block(11))).toBe(true);
    expect(recent.admit(block(12, 'main', 10))).toBe(true);
    expect(recent.admit(block(13, 'main', 11))).toBe(false);
  });

  it('do not admit descendants of an orphaned block', () => {
    const recent = branchOf(block(10), block(11, 'orphaned'));
    recent.markOrphaned(block(11, 'orphaned'));
    expect(recent.admit(block(13, 'orphaned', 11))).toBe(false);
    expect(recent.admit(block(14, 'orphaned', 13))).toBe(false);
    expect(recent.admit(block(14, 'main', 10))).toBe(true);
  });

  it('do not admit a block of another branch until the current branch is reverted', () => {
    const recent = branchOf(block(10), block(12), block(13));
    const other = [block(11, 'other'), block(12, 'other')];
    for (const one of other) expect(recent.admit(one)).toBe(false);
    for (const slot of [13, 12]) expect(recent.markOrphaned(block(slot))).toBe(true);
    for (const one of other) expect(recent.admit(one)).toBe(true);
  });

  it('store an orphaned block that was never on the branch, and revert nothing', () => {
    const recent = branchOf(block(10), block(12));
    for (const slot of [5, 11, 12]) {
      expect(recent.markOrphaned(block(slot, 'other'))).toBe(false);
      expect(recent.admit(block(slot, 'other'))).toBe(false);
    }
    expect(recent.admit(block(12))).toBe(true);
  });

  it('report an orphaned block to revert if the branch is unknown', () => {
    expect(branchOf().markOrphaned(block(5))).toBe(true);
  });

  it('report an orphaned block after the branch to revert, and keep the branch', () => {
    const recent = branchOf(block(10), block(12));
    expect(recent.markOrphaned(block(13, 'other'))).toBe(true);
    expect(recent.all.map(({ slot }) => slot)).toEqual([13, 10, 12]);
    expect(recent.admit(block(14, 'other'))).toBe(false);
  });

  it('are equal after they were stored and read', () => {
    const recent = branchOf(block(10), block(11), block(12));
    recent.markOrphaned(block(12));
    const again = new RecentBlocks(recent.all);
    expect(again.all).toEqual(recent.all);
    expect([again.admit(block(12)), again.admit(block(11)), again.markOrphaned(block(11))]).toEqual([
      false,
      true,
      true,
    ]);
  });

  it('are limited in number', () => {
    const recent = branchOf(...range(1, 1_000).map((slot) => block(slot)));
    expect(recent.all.map(({ slot }) => slot)).toEqual(range(937, 1_000));
    for (const slot of range(1_001, 2_000)) recent.markOrphaned(block(slot, 'other'));
    expect(recent.all.filter(({ isOrphaned }) => isOrphaned)).toHaveLength(256);
    expect(recent.admit(block(2_000, 'other'))).toBe(false);
  });
});
