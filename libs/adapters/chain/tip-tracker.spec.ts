import { toSlot } from '@fresnel/domain/primitives';
import { TipTracker } from './tip-tracker';

/** Reports slots, one per second. @returns the tip after each */
function tipsAfter(...slots: number[]): (number | undefined)[] {
  const tracker = new TipTracker();
  return slots.map((slot, second) => {
    tracker.report(toSlot(slot), new Date(second * 1000));
    return tracker.tip?.slot;
  });
}

describe('TipTracker', () => {
  it('follows the reports, and ignores those of nodes that lag', () => {
    expect(tipsAfter(100, 102, 105, 103, 104, 108)).toEqual([undefined, 102, 105, 105, 105, 108]);
  });

  it.each([
    ['too high', 9_000_000],
    ['too low', 12],
  ])('is not changed by a single report that is %s', (_, wrong) => {
    expect(tipsAfter(500_000, 500_002, wrong, 500_005, wrong, 500_008).slice(1)).toEqual([
      500_002, 500_002, 500_005, 500_005, 500_008,
    ]);
  });

  it('is not changed by a wrong first report', () => {
    expect(tipsAfter(9_000_000, 500, 502)).toEqual([undefined, undefined, 502]);
  });

  it('is corrected after it was wrong', () => {
    expect(tipsAfter(9_000_000, 9_000_002, 500, 502)).toEqual([undefined, 9_000_002, 9_000_002, 502]);
  });

  it('follows a cluster after a long pause', () => {
    const tracker = new TipTracker();
    tracker.report(toSlot(100), new Date(0));
    tracker.report(toSlot(101), new Date(1_000));
    tracker.report(toSlot(25_000), new Date(10_000_000));
    expect(tracker.tip).toEqual({ slot: 25_000, seenAt: new Date(10_000_000) });
  });
});
