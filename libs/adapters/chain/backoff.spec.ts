import { sleep } from '@fresnel/platform/time';
import { pause, wait } from './backoff';

jest.mock('@fresnel/platform/time', () => ({
  ...jest.requireActual<object>('@fresnel/platform/time'),
  sleep: jest.fn(),
}));

const slept = jest.mocked(sleep);
const BACKOFF = { firstMs: 100, longestMs: 10_000 };
const signal = new AbortController().signal;

/** The length of the pause after an attempt, with a fixed random number. */
async function lengthOfPause(attempt: number, random: number, atLeastMs?: number): Promise<unknown> {
  jest.spyOn(Math, 'random').mockReturnValue(random);
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
  ])(
    'doubles its maximum up to a limit and is random below it: attempt %d, random number %d',
    async (attempt, random, ms) => {
      expect(await lengthOfPause(attempt, random)).toBeCloseTo(ms, 6);
    },
  );

  it('lasts at least as long as the node requests', async () => {
    expect(await lengthOfPause(1, 0.5, 3_000)).toBe(3_000);
    expect(await lengthOfPause(8, 0.5, 3_000)).toBe(5_000);
  });
});

describe('wait', () => {
  const actual = jest.requireActual<{ sleep: typeof sleep }>('@fresnel/platform/time');
  beforeEach(() => slept.mockReset().mockImplementation(actual.sleep));

  it('returns early, without an error, when the signal aborts', async () => {
    const stop = new AbortController();
    const waiting = wait(3_600_000, stop.signal);
    stop.abort(new Error('enough'));
    await expect(waiting).resolves.toBeUndefined();
    await expect(wait(3_600_000, stop.signal)).resolves.toBeUndefined();
  });
});
