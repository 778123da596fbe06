import { Random } from './random';

const draw = (random: Random) => Array.from({ length: 100 }, () => random.u32());

describe('Random', () => {
  it('generates the same sequence from the same seed, and different ones from other seeds', () => {
    expect(draw(new Random(5))).toEqual(draw(new Random(5)));
    expect(draw(new Random(6))).not.toEqual(draw(new Random(5)));
    expect(draw(new Random(5 + 2 ** 32))).not.toEqual(draw(new Random(5)));
  });

  it('stays within its bounds and includes both', () => {
    const random = new Random(1);
    const drawn = new Set(Array.from({ length: 200 }, () => random.between(3, 5)));
    expect([...drawn].sort()).toEqual([3, 4, 5]);
    expect(Array.from({ length: 50 }, () => random.u64UpTo(7n)).every((value) => value >= 0n && value <= 7n)).toBe(
      true,
    );
  });

  it('returns false for probability 0 and true for probability 1', () => {
    const random = new Random(2);
    expect(Array.from({ length: 50 }, () => [random.chance(0), random.chance(1)]).flat()).toEqual(
      Array.from({ length: 50 }, () => [false, true]).flat(),
    );
  });

  it('samples distinct items, all of them for a larger count', () => {
    const random = new Random(3);
    expect(new Set(random.sample([1, 2, 3, 4], 3)).size).toBe(3);
    expect(random.sample([1, 2, 3], 9).sort()).toEqual([1, 2, 3]);
  });
});
