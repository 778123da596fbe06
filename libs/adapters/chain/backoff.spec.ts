import { setTimeout as sleep } from 'node:timers/promises';
import { pause, wait } from './backoff';

jest.mock('node:timers/promises', () => ({ setTimeout: jest.fn() }));

const slept = jest.mocked(sleep);
const BACKOFF = { firstMs: 100, longestMs: 10_000 };
const signal = new AbortController().signal;

/** How long the pause before an attempt would be, with chance fixed. */
async function lengthOfPause(attempt: number, chance: number, atLeastMs?: number): Promise<unknown> {
  jest.spyOn(Math, 'random').mockReturnValue(chance);
  await pause(attempt, BACKOFF, signal, atLeastMs);
  return slept.mock.lastCall?.[0];
}

describe('pause', () => {
  beforeEach(() => slept.mockReset().mockResolvedValue(undefined));
  afterEach(() => jest.restoreAllMocks());

  it.each([
    [1, 0.5, 50],
    [2, 0.5, 100],
    [3, 0.5, 200],
    [7, 0.5, 3200],
    [8, 0.5, 5000],
    [30, 0.5, 5000],
    [1_000_000, 0.5, 5000],
    [1, 0, 0],
    [4, 0.25, 200],
    [1_000_000, 0.999, 9990],
  ])('doubles up to a bound and leaves the rest to chance: attempt %d with chance %d', async (attempt, chance, ms) => {
    expect(await lengthOfPause(attempt, chance)).toBeCloseTo(ms, 6);
  });

  it('lasts as long as the node asks for, when that is longer', async () => {
    expect(await lengthOfPause(1, 0.5, 3_000)).toBe(3_000);
    expect(await lengthOfPause(8, 0.5, 3_000)).toBe(5_000);
  });
});

describe('wait', () => {
  const { setTimeout: sleepIndeed } = jest.requireActual<{ setTimeout: typeof sleep }>('node:timers/promises');
  beforeEach(() => slept.mockReset().mockImplementation(sleepIndeed));

  it('returns early, without a word, when the signal says stop', async () => {
    const stop = new AbortController();
    const waiting = wait(3_600_000, stop.signal);
    stop.abort(new Error('enough'));
    await expect(waiting).resolves.toBeUndefined();
    await expect(wait(3_600_000, stop.signal)).resolves.toBeUndefined();
  });

  it('lets other errors through', async () => {
    slept.mockRejectedValue(new Error('no clock'));
    await expect(wait(1, signal)).rejects.toThrow('no clock');
  });
});
