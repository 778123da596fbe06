import { toSlot } from '@fresnel/domain/primitives';
import { blockhashAt, range } from '@fresnel/testing/chain';
import { RecentBlocks } from './recent-blocks';

const block = (slot: number, branch = 'main', parent: number | null = null) => ({
  slot: toSlot(slot),
  blockhash: blockhashAt(slot, branch),
  ...(parent === null ? {} : { parentBlockhash: blockhashAt(parent, branch) }),
});

/** Blocks that were met in this order. */
function met(...blocks: ReturnType<typeof block>[]): RecentBlocks {
  const recent = new RecentBlocks([]);
  for (const one of blocks) expect(recent.admit(one)).toBe(true);
  return recent;
}

describe('the recent blocks of a partition', () => {
  it('admit blocks in the chain’s order, again and again, and what is older than all of them', () => {
    const recent = met(block(10), block(11), block(14));
    for (const slot of [10, 14, 11, 3, 9]) expect(recent.admit(block(slot))).toBe(true);
    expect(recent.all.map(({ slot }) => slot)).toEqual([10, 11, 14]);
  });

  it('admit records that do not name their block, and remember nothing of them', () => {
    const recent = met(block(10));
    for (const slot of [9, 10, 20]) expect(recent.admit({ slot: toSlot(slot) })).toBe(true);
    expect(recent.all).toHaveLength(1);
  });

  it('take back what they met, once, and never admit it again', () => {
    const recent = met(block(10), block(11), block(12));
    expect([12, 11].map((slot) => recent.markOrphaned(block(slot)))).toEqual([true, true]);
    for (const slot of [11, 12]) {
      expect(recent.markOrphaned(block(slot))).toBe(false);
      expect(recent.admit(block(slot))).toBe(false);
    }
    expect(recent.admit(block(12, 'other'))).toBe(true);
    expect(recent.admit(block(13, 'other'))).toBe(true);
    for (const slot of [11, 12]) expect(recent.admit(block(slot))).toBe(false);
  });

  it('may meet what was above an abandoned block, unless that is abandoned too', () => {
    const recent = met(block(10), block(11), block(12));
    expect(recent.markOrphaned(block(11))).toBe(true);
    expect(recent.admit(block(12))).toBe(true);
  });

  it('do not admit children of an abandoned block, nor theirs', () => {
    const recent = met(block(10), block(11, 'left'));
    recent.markOrphaned(block(11, 'left'));
    expect(recent.admit(block(13, 'left', 11))).toBe(false);
    expect(recent.admit(block(14, 'left', 13))).toBe(false);
    expect(recent.admit(block(14, 'main', 10))).toBe(true);
  });

  it('do not admit a block where they have passed without it, until that was taken back', () => {
    const recent = met(block(10), block(12), block(13));
    const other = [block(11, 'other'), block(12, 'other')];
    for (const one of other) expect(recent.admit(one)).toBe(false);
    for (const slot of [13, 12]) expect(recent.markOrphaned(block(slot))).toBe(true);
    for (const one of other) expect(recent.admit(one)).toBe(true);
  });

  it('remember an abandoned block that they never met, and take nothing back', () => {
    const recent = met(block(10), block(12));
    for (const slot of [5, 11, 12, 13]) {
      expect(recent.markOrphaned(block(slot, 'other'))).toBe(false);
      expect(recent.admit(block(slot, 'other'))).toBe(false);
    }
    expect(recent.admit(block(12))).toBe(true);
  });

  it('cannot say of an abandoned block that nobody followed it where they met none', () => {
    expect(met().markOrphaned(block(5))).toBe(true);
  });

  it('are as they were when they are read again', () => {
    const recent = met(block(10), block(11), block(12));
    recent.markOrphaned(block(12));
    const again = new RecentBlocks(recent.all);
    expect(again.all).toEqual(recent.all);
    expect([again.admit(block(12)), again.admit(block(11)), again.markOrphaned(block(11))]).toEqual([
      false,
      true,
      true,
    ]);
  });

  it('are not remembered for ever', () => {
    const recent = met(...range(1, 1_000).map((slot) => block(slot)));
    expect(recent.all.map(({ slot }) => slot)).toEqual(range(937, 1_000));
    for (const slot of range(1_001, 2_000)) recent.markOrphaned(block(slot, 'other'));
    expect(recent.all.filter(({ isOrphaned }) => isOrphaned)).toHaveLength(256);
    expect(recent.admit(block(2_000, 'other'))).toBe(false);
  });
});
