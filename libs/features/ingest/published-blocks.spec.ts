import { type BlockLink, type BlockRef } from '@fresnel/domain/chain';
import { toSlot } from '@fresnel/domain/primitives';
import { blockhashAt, range } from '@fresnel/testing/chain';
import { PublishedBlocks } from './published-blocks';
import { NOTHING_PUBLISHED } from './resume-point';

const refOf = (slot: number, branch = 'main'): BlockRef => ({
  slot: toSlot(slot),
  blockhash: blockhashAt(slot, branch),
});
const blockAt = (slot: number, branch = 'main'): BlockLink => ({
  ...refOf(slot, branch),
  parentSlot: toSlot(slot - 1),
  parentBlockhash: blockhashAt(slot - 1, branch),
});
const partiallyPublishedAt = (slot: number, parentSlot: number | null) => ({
  ...refOf(slot),
  parentSlot: parentSlot === null ? null : toSlot(parentSlot),
});
const slotsOf = (blocks: readonly BlockRef[]) => blocks.map(({ slot }) => slot);

describe('HeldBlocks', () => {
  it('begins without any', () => {
    const held = new PublishedBlocks(NOTHING_PUBLISHED);
    expect(held.last).toBeNull();
    expect(held.all).toEqual([]);
    expect(held.isExpected(blockAt(5))).toBe(true);
  });

  it('holds the last ones that a fork may need', () => {
    const held = new PublishedBlocks({ ...NOTHING_PUBLISHED, published: [refOf(1)] });
    for (const slot of range(2, 50)) held.add(blockAt(slot));
    expect(slotsOf(held.all)).toEqual(range(19, 50));
    expect(held.last).toEqual(refOf(50));
  });

  it('names those above one, newest first, and forgets them', () => {
    const held = new PublishedBlocks({
      published: [1, 2, 3].map((slot) => refOf(slot)),
      partiallyPublished: [partiallyPublishedAt(5, 3)],
      reverted: [],
    });
    expect(slotsOf(held.blocksAfter(refOf(1)))).toEqual([5, 3, 2]);
    expect(held.blocksAfter(refOf(5))).toEqual([]);
    held.revertTo(refOf(2));
    expect(held.all).toEqual([refOf(1), refOf(2)]);
    expect([refOf(5), refOf(3), refOf(2), refOf(3, 'other')].map((block) => held.wasReverted(block))).toEqual([
      ...[true, true, false, false],
    ]);
  });

  it('knows what was reverted before', () => {
    const reverted = [{ kind: 'slot-reverted' as const, ...refOf(4) }];
    const held = new PublishedBlocks({ ...NOTHING_PUBLISHED, reverted });
    expect(held.wasReverted(refOf(4))).toBe(true);
    expect(held.wasReverted(refOf(4, 'other'))).toBe(false);
  });

  describe('expects, where some consumers have more,', () => {
    it('exactly those, one after the other', () => {
      const held = new PublishedBlocks({
        published: [refOf(1)],
        partiallyPublished: [partiallyPublishedAt(3, 1), partiallyPublishedAt(4, 3)],
        reverted: [],
      });
      for (const other of [blockAt(2), blockAt(3, 'other'), blockAt(4)]) expect(held.isExpected(other)).toBe(false);
      expect(held.isExpected(blockAt(3))).toBe(true);
      held.add(blockAt(3));
      expect(held.isExpected(blockAt(4))).toBe(true);
      held.add(blockAt(4));
      expect(slotsOf(held.all)).toEqual([1, 3, 4]);
      expect(held.isExpected(blockAt(7))).toBe(true);
    });

    it('the next one where its parent is not known', () => {
      const held = new PublishedBlocks({
        published: [refOf(1)],
        partiallyPublished: [partiallyPublishedAt(3, null)],
        reverted: [],
      });
      expect([blockAt(2), blockAt(3, 'other'), blockAt(3)].map((block) => held.isExpected(block))).toEqual([
        ...[false, false, true],
      ]);
    });

    it('any before the parent of the first', () => {
      const held = new PublishedBlocks({
        published: [refOf(1)],
        partiallyPublished: [partiallyPublishedAt(9, 7)],
        reverted: [],
      });
      expect([2, 7, 8, 9, 10].map((slot) => held.isExpected(blockAt(slot)))).toEqual([true, true, false, true, false]);
    });
  });
});
