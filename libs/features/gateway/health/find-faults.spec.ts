import { toSlot } from '@fresnel/domain/primitives';
import { findFaults } from './find-faults';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const LIMITS = { healthyLagSlots: 20, tipStaleMs: 60_000 };
/** The index and the chain at these slots, the chain seen so long ago. */
const status = (indexedSlot: number | null, chainTip: number | null, agoMs: number) => ({
  indexedSlot: indexedSlot === null ? null : toSlot(indexedSlot),
  chainTip: chainTip === null ? null : toSlot(chainTip),
  chainTipSeenAt: chainTip === null ? null : new Date(NOW - agoMs),
});

describe('the index', () => {
  it.each([
    ['at the tip', 100, 100, 0],
    ['ahead of what was seen of the chain', 105, 100, 0],
    ['as far behind as it may be', 80, 100, 60_000],
  ])('is healthy %s', (_, indexedSlot, chainTip, agoMs) => {
    expect(findFaults(status(indexedSlot, chainTip, agoMs), LIMITS, NOW)).toEqual([]);
  });

  it('is not when it is further behind', () => {
    expect(findFaults(status(79, 100, 0), LIMITS, NOW)).toEqual(['Node is behind 21 slots']);
  });

  it('is not when the chain was not seen for too long', () => {
    expect(findFaults(status(100, 100, 60_001), LIMITS, NOW)).toEqual(["The chain's tip was last seen 60 seconds ago"]);
  });

  it('may have both faults', () => {
    expect(findFaults(status(1, 100, 90_000), LIMITS, NOW)).toEqual([
      'Node is behind 99 slots',
      "The chain's tip was last seen 90 seconds ago",
    ]);
  });

  it('is not before it has anything, or knows anything of the chain', () => {
    expect(findFaults(status(null, 5, 0), LIMITS, NOW)).toEqual(['Nothing is indexed yet']);
    expect(findFaults(status(5, null, 0), LIMITS, NOW)).toEqual(["The chain's tip is not known yet"]);
  });
});
