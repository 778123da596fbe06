import { useTime } from '@fresnel/platform/time';
import { ManualTime } from '@fresnel/testing/generic';
import { describeRateLimiterContract } from './rate-limiter.contract';
import { MemoryRateLimiter } from './memory-rate-limiter';

describeRateLimiterContract('the limiter in memory', (limit) => new MemoryRateLimiter(limit));

describe('a window in memory', () => {
  let time: ManualTime;
  let restore: () => void;
  let limiter: MemoryRateLimiter;
  beforeEach(() => {
    time = new ManualTime(1_000_000);
    restore = useTime(time);
    limiter = new MemoryRateLimiter({ points: 10, windowSeconds: 60 });
  });
  afterEach(() => {
    restore();
  });

  it('starts with the first request and ends exactly after its duration', async () => {
    expect(await limiter.consume('a', 10)).toEqual({ isGranted: true, remainingPoints: 0, resetSeconds: 60 });
    time.advance(59_900);
    expect(await limiter.consume('a', 1)).toEqual({ isGranted: false, remainingPoints: 0, resetSeconds: 1 });
    time.advance(100);
    expect(await limiter.consume('a', 1)).toMatchObject({ isGranted: true, remainingPoints: 9 });
  });

  it('ends after the debt has been granted, and then all points are free', async () => {
    await limiter.consume('a', 8);
    await limiter.charge('a', 7);
    await limiter.charge('a', 10);
    time.advance(60_000 + 89_999);
    expect(await limiter.consume('a', 1)).toEqual({ isGranted: false, remainingPoints: 0, resetSeconds: 1 });
    time.advance(1);
    expect(await limiter.consume('a', 10)).toEqual({ isGranted: true, remainingPoints: 0, resetSeconds: 60 });
  });

  it('is forgotten when it ends', async () => {
    await limiter.consume('a', 1);
    await limiter.charge('a', 20);
    await limiter.consume('b', 1);
    expect(time.pending).toBe(2);
    time.advance(600_000);
    expect(time.pending).toBe(0);
  });
});
