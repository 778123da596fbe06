import { slopeOf } from './slope';

describe('slopeOf', () => {
  it('returns the slope of points on a line', () => {
    expect(slopeOf([1, 2, 5].map((x) => ({ x, y: 3 * x - 7 })))).toBeCloseTo(3);
  });

  it('ignores deviations that cancel each other out', () => {
    expect(slopeOf([0, 1, 2, 3].map((x) => ({ x, y: x === 1 || x === 2 ? 11 : 10 })))).toBeCloseTo(0);
  });

  it('returns 0 for points without different positions', () => {
    expect(slopeOf([{ x: 4, y: 1 }])).toBe(0);
    expect(
      slopeOf([
        { x: 4, y: 1 },
        { x: 4, y: 9 },
      ]),
    ).toBe(0);
  });
});
