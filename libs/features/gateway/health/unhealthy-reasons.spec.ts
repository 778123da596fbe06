import { toSlot } from '@fresnel/domain/primitives';
import { healthText, unhealthyReasons } from './unhealthy-reasons';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const LIMITS = { GATEWAY_HEALTHY_LAG_SLOTS: 20, GATEWAY_HEALTHY_LAG_SECONDS: 20 };
/** The chain tip was seen `agoMs` before now, and the indexed block was made `ageMs` before now. */
const status = (indexedSlot: number | null, chainTip: number | null, agoMs: number, ageMs = 60_000) => ({
  indexedSlot: indexedSlot === null ? null : toSlot(indexedSlot),
  indexedBlockTime: indexedSlot === null ? null : (NOW - ageMs) / 1000,
  chainTip: chainTip === null ? null : toSlot(chainTip),
  chainTipSeenAt: chainTip === null ? null : new Date(NOW - agoMs),
});

describe('the index', () => {
  it.each([
    ['at the tip', 100, 100, 0],
    ['ahead of the known chain tip', 105, 100, 0],
    ['at the maximum lag', 80, 100, 60_000],
  ])('is healthy %s', (_, indexedSlot, chainTip, agoMs) => {
    expect(unhealthyReasons(status(indexedSlot, chainTip, agoMs), LIMITS, NOW)).toEqual([]);
  });

  it('is unhealthy with a larger lag', () => {
    expect(unhealthyReasons(status(79, 100, 0), LIMITS, NOW)).toEqual(['Node is behind 21 slots']);
  });

  it('is healthy with a larger lag as long as its newest block is recent', () => {
    expect(unhealthyReasons(status(50, 100, 0, 20_000), LIMITS, NOW)).toEqual([]);
    expect(unhealthyReasons(status(50, 100, 0, 21_000), LIMITS, NOW)).toEqual(['Node is behind 50 slots']);
    expect(unhealthyReasons({ ...status(50, 100, 0, 0), indexedBlockTime: null }, LIMITS, NOW)).toHaveLength(1);
  });

  it('is unhealthy when the chain tip is out of date', () => {
    expect(unhealthyReasons(status(100, 100, 60_001), LIMITS, NOW)).toEqual([
      'The chain tip was last seen 60 seconds ago',
    ]);
  });

  it('can be unhealthy for both reasons', () => {
    expect(unhealthyReasons(status(1, 100, 90_000), LIMITS, NOW)).toEqual([
      'Node is behind 99 slots',
      'The chain tip was last seen 90 seconds ago',
    ]);
  });

  it('is unhealthy before a slot is indexed or the chain tip is known', () => {
    expect(unhealthyReasons(status(null, 5, 0), LIMITS, NOW)).toEqual(['Nothing is indexed yet']);
    expect(unhealthyReasons(status(5, null, 0), LIMITS, NOW)).toEqual(['The chain tip is not known yet']);
  });

  it.each([
    ['ok', status(80, 100, 0)],
    ['behind 21', status(79, 100, 0)],
    ['behind 21', status(79, 100, 90_000)],
    ['unknown', status(100, 100, 90_000)],
    ['unknown', status(null, 5, 0)],
    ['unknown', status(5, null, 0)],
  ])('is %s in the words of Solana nodes', (text, given) => {
    expect(healthText(given, LIMITS, NOW)).toBe(text);
  });
});
