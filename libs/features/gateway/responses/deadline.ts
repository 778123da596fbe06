import { FresnelError } from '@fresnel/domain/primitives';
import { after } from '@fresnel/platform/time';

/** A call took longer than its time limit. */
export class DeadlineExceededError extends FresnelError {
  readonly code = 'deadline-exceeded';
  readonly isRetryable = true;
}

/** Waits for the work for at most `timeoutMs`. A later result or error of the work is ignored. @throws DeadlineExceededError */
export function withDeadline<Value>(work: Promise<Value>, timeoutMs: number): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = after(timeoutMs, () => {
      reject(new DeadlineExceededError(`not done within ${timeoutMs} ms`));
    });
    void work.then(resolve, reject).finally(() => {
      timer.cancel();
    });
  });
}
