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
const partiallyPublishedAt = (slot: number, parentSlot: number) => ({
  ...refOf(slot),
  parentSlot: toSlot(parentSlot),
});
const slotsOf = (blocks: readonly BlockRef[]) => blocks.map(({ slot }) => slot);

describe('PublishedBlocks', () => {
  it('is empty when nothing was published', () => {
    const published = new PublishedBlocks(NOTHING_PUBLISHED);
    expect(published.last).toBeNull();
    expect(published.all).toEqual([]);
    expect(published.isExpected(blockAt(5))).toBe(true);
  });

  it('keeps the newest blocks, as many as a fork may need', () => {
    const published = new PublishedBlocks({ ...NOTHING_PUBLISHED, published: [refOf(1)] });
    for (const slot of range(2, 50)) published.add(blockAt(slot));
    expect(slotsOf(published.all)).toEqual(range(19, 50));
    expect(published.last).toEqual(refOf(50));
  });

  it('lists the blocks after one of its blocks, newest first, and reverts them', () => {
    const published = new PublishedBlocks({
      published: [1, 2, 3].map((slot) => refOf(slot)),
      partiallyPublished: [partiallyPublishedAt(5, 3)],
      reverted: [],
    });
    expect(slotsOf(published.blocksAfter(refOf(1)))).toEqual([5, 3, 2]);
    expect(published.blocksAfter(refOf(5))).toEqual([]);
    published.revertTo(refOf(2));
    expect(published.all).toEqual([refOf(1), refOf(2)]);
    expect([refOf(5), refOf(3), refOf(2), refOf(3, 'other')].map((block) => published.wasReverted(block))).toEqual([
      ...[true, true, false, false],
    ]);
  });

  it('contains the blocks that were reverted before the restart', () => {
    const reverted = [{ kind: 'slot-reverted' as const, ...refOf(4) }];
    const published = new PublishedBlocks({ ...NOTHING_PUBLISHED, reverted });
    expect(published.wasReverted(refOf(4))).toBe(true);
    expect(published.wasReverted(refOf(4, 'other'))).toBe(false);
  });

  describe('if blocks are partially published, expects', () => {
    it('exactly those blocks, in their order', () => {
      const published = new PublishedBlocks({
        published: [refOf(1)],
        partiallyPublished: [partiallyPublishedAt(3, 1), partiallyPublishedAt(4, 3)],
        reverted: [],
      });
      for (const other of [blockAt(2), blockAt(3, 'other'), blockAt(4)])
        expect(published.isExpected(other)).toBe(false);
      expect(published.isExpected(blockAt(3))).toBe(true);
      published.add(blockAt(3));
      expect(published.isExpected(blockAt(4))).toBe(true);
      published.add(blockAt(4));
      expect(slotsOf(published.all)).toEqual([1, 3, 4]);
      expect(published.isExpected(blockAt(7))).toBe(true);
    });

    it('the next of them if its parent is unknown', () => {
      const published = new PublishedBlocks({
        published: [refOf(1)],
        partiallyPublished: [partiallyPublishedAt(3, 1)],
        reverted: [],
      });
      expect([blockAt(2), blockAt(3, 'other'), blockAt(3)].map((block) => published.isExpected(block))).toEqual([
        ...[false, false, true],
      ]);
    });

    it('any block up to the parent of the first of them', () => {
      const published = new PublishedBlocks({
        published: [refOf(1)],
        partiallyPublished: [partiallyPublishedAt(9, 7)],
        reverted: [],
      });
      expect([2, 7, 8, 9, 10].map((slot) => published.isExpected(blockAt(slot)))).toEqual([
        true,
        true,
        false,
        true,
        false,
      ]);
    });
  });
});
