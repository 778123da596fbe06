import { describeRateLimiterContract } from './rate-limiter.contract';
import { MemoryRateLimiter } from './memory-rate-limiter';

describeRateLimiterContract('the limiter in memory', (limit) => new MemoryRateLimiter(limit));

describe('a window in memory', () => {
  beforeEach(() => jest.useFakeTimers({ now: 1_000_000 }));
  afterEach(() => jest.useRealTimers());

  it('starts with the first request and ends exactly after its duration', async () => {
    const limiter = new MemoryRateLimiter({ points: 10, windowSeconds: 60 });
    expect(await limiter.consume('a', 10)).toEqual({ isGranted: true, remainingPoints: 0, resetSeconds: 60 });
    jest.advanceTimersByTime(59_900);
    expect(await limiter.consume('a', 1)).toEqual({ isGranted: false, remainingPoints: 0, resetSeconds: 1 });
    jest.advanceTimersByTime(200);
    expect(await limiter.consume('a', 1)).toMatchObject({ isGranted: true, remainingPoints: 9 });
  });
});
