import { FresnelError } from '@fresnel/domain/primitives';
import { createLogger } from './logger';
import { untilAvailable } from './until-available';

class AwayError extends FresnelError {
  readonly code = 'away';
  readonly isRetryable = true;
}

class RefusedError extends FresnelError {
  readonly code = 'refused';
  readonly isRetryable = false;
}

const logger = createLogger('silent');
const never = new AbortController().signal;

describe('untilAvailable', () => {
  it('tries again while something is away', async () => {
    const attempt = jest
      .fn<Promise<string>, []>()
      .mockRejectedValueOnce(new AwayError('away'))
      .mockRejectedValueOnce(new AwayError('still away'))
      .mockResolvedValue('here');
    expect(await untilAvailable(attempt, { signal: never, logger })).toBe('here');
    expect(attempt).toHaveBeenCalledTimes(3);
  });

  it.each([new RefusedError('wrong password'), new TypeError('a bug')])('gives up on %s', async (error) => {
    const attempt = jest.fn<Promise<string>, []>().mockRejectedValue(error);
    await expect(untilAvailable(attempt, { signal: never, logger })).rejects.toBe(error);
    expect(attempt).toHaveBeenCalledTimes(1);
  });

  it('ends at once when it is stopped', async () => {
    const stop = new AbortController();
    const attempt = () => {
      setImmediate(() => {
        stop.abort();
      });
      return Promise.reject(new AwayError('away'));
    };
    expect(await untilAvailable(attempt, { signal: stop.signal, logger })).toBeNull();
  });
});
