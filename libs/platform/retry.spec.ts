import { useTime } from './time';
import { pauseAfter, retry } from './retry';

describe('pauseAfter', () => {
  const BACKOFF = { firstMs: 100, longestMs: 10_000 };

  it.each([
    [1, 100],
    [2, 200],
    [7, 6_400],
    [8, 10_000],
    [1_000_000, 10_000],
  ])('doubles up to a limit: attempt %d', (attempt, ms) => {
    expect(pauseAfter(attempt, BACKOFF)).toBe(ms);
  });

  it.each([
    [1, 0.5, 50],
    [3, 0.5, 200],
    [8, 0.5, 5_000],
    [1, 0, 0],
    [1_000_000, 0.999, 9_990],
  ])('is random below that if wanted: attempt %d, random number %d', (attempt, random, ms) => {
    const given = jest.spyOn(Math, 'random').mockReturnValue(random);
    expect(pauseAfter(attempt, { ...BACKOFF, isRandom: true })).toBeCloseTo(ms, 6);
    given.mockRestore();
  });
});

describe('retry', () => {
  const backoff = { firstMs: 10, longestMs: 40 };
  const slept: number[] = [];
  let restoreTime: () => void;
  beforeEach(() => {
    slept.length = 0;
    restoreTime = useTime({
      now: () => 0,
      wallClock: () => 0,
      after: (ms, call) => {
        slept.push(ms);
        queueMicrotask(call);
        return { cancel: () => undefined, unref: () => undefined };
      },
    });
  });
  afterEach(() => {
    restoreTime();
  });

  /** An attempt that fails some times. */
  const failing = (times: number) => () =>
    times-- > 0 ? Promise.reject(new Error(`${times} left`)) : Promise.resolve(7);

  it('repeats an attempt with pauses until it succeeds', async () => {
    const failures: unknown[] = [];
    const onFailure = (error: unknown, attempt: number) => void failures.push([attempt, (error as Error).message]);
    expect(await retry(failing(4), { backoff, onFailure })).toBe(7);
    expect(slept).toEqual([10, 20, 40, 40]);
    expect(failures).toEqual([1, 2, 3, 4].map((attempt) => [attempt, `${4 - attempt} left`]));
  });

  it('pauses for another time if the policy says so, or not at all', async () => {
    expect(await retry(failing(3), { backoff, onFailure: (_, attempt) => (attempt === 2 ? 0 : attempt * 1_000) })).toBe(
      7,
    );
    expect(slept).toEqual([1_000, 3_000]);
  });

  it('fails with an error with which another attempt cannot help', async () => {
    const onFailure = (error: unknown) => {
      throw error;
    };
    await expect(retry(failing(2), { backoff, onFailure })).rejects.toThrow('1 left');
    expect(slept).toEqual([]);
  });

  it('fails with the reason of its signal after a failed attempt', async () => {
    const stop = new AbortController();
    const onFailure = () => {
      stop.abort(new Error('stopped'));
    };
    await expect(retry(failing(2), { backoff, signal: stop.signal, onFailure })).rejects.toThrow('stopped');
  });
});
