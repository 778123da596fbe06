import { FresnelError } from '@fresnel/domain/primitives';
import { createLogger } from './logger';
import { retryUntilAvailable } from './retry-until-available';

class UnavailableError extends FresnelError {
  readonly code = 'unavailable';
  readonly isRetryable = true;
}

class PermanentError extends FresnelError {
  readonly code = 'permanent';
  readonly isRetryable = false;
}

const logger = createLogger('silent');
const never = new AbortController().signal;

describe('retryUntilAvailable', () => {
  it('retries while the error is retryable', async () => {
    const attempt = jest
      .fn<Promise<string>, []>()
      .mockRejectedValueOnce(new UnavailableError('unavailable'))
      .mockRejectedValueOnce(new UnavailableError('still unavailable'))
      .mockResolvedValue('result');
    expect(await retryUntilAvailable(attempt, { signal: never, logger })).toBe('result');
    expect(attempt).toHaveBeenCalledTimes(3);
  });

  it.each([new PermanentError('wrong password'), new TypeError('a bug')])('does not retry %s', async (error) => {
    const attempt = jest.fn<Promise<string>, []>().mockRejectedValue(error);
    await expect(retryUntilAvailable(attempt, { signal: never, logger })).rejects.toBe(error);
    expect(attempt).toHaveBeenCalledTimes(1);
  });

  it('resolves with null when the signal aborts', async () => {
    const stop = new AbortController();
    const attempt = () => {
      setImmediate(() => {
        stop.abort();
      });
      return Promise.reject(new UnavailableError('unavailable'));
    };
    expect(await retryUntilAvailable(attempt, { signal: stop.signal, logger })).toBeNull();
  });
});
