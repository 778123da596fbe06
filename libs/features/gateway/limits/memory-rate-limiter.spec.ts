import { MemoryRateLimiter } from './memory-rate-limiter';

describe('the limiter', () => {
  beforeEach(() => jest.useFakeTimers({ now: 1_000_000 }));
  afterEach(() => jest.useRealTimers());

  const limiter = () => new MemoryRateLimiter({ points: 10, windowSeconds: 60 });

  it('grants points until they are used up', async () => {
    const limits = limiter();
    expect(await limits.take('a', 7)).toEqual({ isGranted: true, remainingPoints: 3, resetSeconds: 60 });
    expect(await limits.take('a', 3)).toEqual({ isGranted: true, remainingPoints: 0, resetSeconds: 60 });
    expect(await limits.take('a', 1)).toEqual({ isGranted: false, remainingPoints: 0, resetSeconds: 60 });
  });

  it('does not count what it refuses', async () => {
    const limits = limiter();
    await limits.take('a', 6);
    expect(await limits.take('a', 5)).toMatchObject({ isGranted: false, remainingPoints: 4 });
    expect(await limits.take('a', 100)).toMatchObject({ isGranted: false, remainingPoints: 4 });
    expect(await limits.take('a', 4)).toMatchObject({ isGranted: true, remainingPoints: 0 });
  });

  it('counts each client by itself', async () => {
    const limits = limiter();
    await limits.take('a', 10);
    expect(await limits.take('b', 10)).toMatchObject({ isGranted: true });
  });

  it('says when the window ends, and grants anew behind it', async () => {
    const limits = limiter();
    await limits.take('a', 10);
    jest.advanceTimersByTime(59_900);
    expect(await limits.take('a', 1)).toEqual({ isGranted: false, remainingPoints: 0, resetSeconds: 1 });
    jest.advanceTimersByTime(200);
    expect(await limits.take('a', 1)).toMatchObject({ isGranted: true, remainingPoints: 9 });
  });
});
