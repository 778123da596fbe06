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
const NO_CORRECTION = { forkPoint: null, branch: [], newestChange: null, orphaned: [], adopted: [] };
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
    for (const slot of range(2, 50)) published.add(blockAt(slot), false);
    expect(slotsOf(published.all)).toEqual(range(19, 50));
    expect(published.last).toEqual(refOf(50));
  });

  describe('after a correction', () => {
    const published = () =>
      new PublishedBlocks({
        ...NOTHING_PUBLISHED,
        published: [1, 2, 3, 4].map((slot) => refOf(slot)),
        partiallyPublished: [partiallyPublishedAt(6, 4)],
        reverted: [{ kind: 'slot-reverted', ...refOf(3, 'other') }],
      });

    it('continues after its branch, without the orphaned blocks', () => {
      const blocks = published();
      const orphaned = [6, 4, 3].map((slot) => refOf(slot));
      blocks.switchTo({ ...NO_CORRECTION, branch: [refOf(1), refOf(2)], orphaned });
      expect(blocks.all).toEqual([refOf(1), refOf(2)]);
      expect([...orphaned, refOf(2), refOf(4, 'other')].map((block) => blocks.wasReverted(block))).toEqual([
        ...[true, true, true, false, false],
      ]);
    });

    it('accepts adopted blocks', () => {
      const blocks = published();
      const adopted = [refOf(3, 'other')];
      blocks.switchTo({ ...NO_CORRECTION, branch: [refOf(1), refOf(2)], orphaned: [refOf(3)], adopted });
      expect([refOf(3, 'other'), refOf(3)].map((block) => blocks.wasReverted(block))).toEqual([false, true]);
    });

    it('expects the blocks that are published again, in their order', () => {
      const blocks = published();
      blocks.switchTo({ ...NO_CORRECTION, branch: [refOf(0), refOf(1)], orphaned: [refOf(3, 'stored')] });
      expect(blocks.last).toEqual(refOf(1));
      expect(slotsOf(blocks.all)).toEqual([0, 1, 2, 3, 4, 6]);
      expect([blockAt(2, 'other'), blockAt(2)].map((block) => blocks.isExpected(block))).toEqual([false, true]);
    });

    it('still publishes the blocks again that an earlier correction has published again', () => {
      const blocks = published();
      blocks.switchTo({ ...NO_CORRECTION, branch: [refOf(1), refOf(2)], orphaned: [refOf(5, 'other')] });
      const later = [1, 2, 3, 4].map((slot) => refOf(slot));
      blocks.switchTo({ ...NO_CORRECTION, branch: later, newestChange: refOf(4), orphaned: [refOf(6, 'other')] });
      expect([blocks.last, blocks.newestChange]).toEqual([refOf(2), null]);
      for (const slot of [3, 4]) {
        expect([blocks.isExpected(blockAt(slot)), blocks.isExpected(blockAt(slot + 1))]).toEqual([true, false]);
        blocks.add(blockAt(slot), false);
      }
    });

    it('may continue after a block that is older than its own', () => {
      const blocks = new PublishedBlocks({
        ...NOTHING_PUBLISHED,
        published: range(101, 104).map((slot) => refOf(slot)),
      });
      blocks.switchTo({ ...NO_CORRECTION, branch: [refOf(50)] });
      expect([51, 101].map((slot) => blocks.isExpected(blockAt(slot)))).toEqual([true, true]);
      expect(blocks.isExpected(blockAt(103))).toBe(false);
    });
  });

  it('names the newest block that changes a tree, also after a revert and after it continued at an older block', () => {
    const published = new PublishedBlocks({ ...NOTHING_PUBLISHED, published: [refOf(9)], changes: [refOf(5)] });
    expect(published.newestChange).toEqual(refOf(5));
    for (const slot of range(10, 60)) published.add(blockAt(slot), slot % 10 === 0);
    expect(published.newestChange).toEqual(refOf(60));
    const orphaned = range(56, 60).map((slot) => refOf(slot));
    published.switchTo({ ...NO_CORRECTION, branch: range(40, 55).map((slot) => refOf(slot)), orphaned });
    expect(published.newestChange).toEqual(refOf(50));
    published.switchTo({ ...NO_CORRECTION, branch: [refOf(19)] });
    expect(published.newestChange).toEqual(refOf(10));
    // Another ingest has published the block.
    published.switchTo({ ...NO_CORRECTION, branch: [refOf(18)], newestChange: refOf(12) });
    expect(published.newestChange).toEqual(refOf(12));
    published.switchTo({ ...NO_CORRECTION, branch: [refOf(3)], newestChange: refOf(2) });
    expect(published.newestChange).toEqual(refOf(2));
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
        ...NOTHING_PUBLISHED,
        published: [refOf(1)],
        partiallyPublished: [partiallyPublishedAt(3, 1), partiallyPublishedAt(4, 3)],
      });
      for (const other of [blockAt(2), blockAt(3, 'other'), blockAt(4)])
        expect(published.isExpected(other)).toBe(false);
      expect(published.isExpected(blockAt(3))).toBe(true);
      published.add(blockAt(3), false);
      expect(published.isExpected(blockAt(4))).toBe(true);
      published.add(blockAt(4), false);
      expect(slotsOf(published.all)).toEqual([1, 3, 4]);
      expect(published.isExpected(blockAt(7))).toBe(true);
    });

    it('the next of them if its parent is unknown', () => {
      const published = new PublishedBlocks({
        ...NOTHING_PUBLISHED,
        published: [refOf(1)],
        partiallyPublished: [partiallyPublishedAt(3, 1)],
      });
      expect([blockAt(2), blockAt(3, 'other'), blockAt(3)].map((block) => published.isExpected(block))).toEqual([
        ...[false, false, true],
      ]);
    });

    it('any block up to the parent of the first of them', () => {
      const published = new PublishedBlocks({
        ...NOTHING_PUBLISHED,
        published: [refOf(1)],
        partiallyPublished: [partiallyPublishedAt(9, 7)],
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
