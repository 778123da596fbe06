import { FresnelError } from '@fresnel/domain/primitives';

/** A call took longer than its time limit. */
export class DeadlineExceededError extends FresnelError {
  readonly code = 'deadline-exceeded';
  readonly isRetryable = true;
}

/** Waits for the work for at most `timeoutMs`. A later result or error of the work is ignored. @throws DeadlineExceededError */
export async function withDeadline<Value>(work: Promise<Value>, timeoutMs: number): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const expiry = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new DeadlineExceededError(`not done within ${timeoutMs} ms`));
    }, timeoutMs);
  });
  try {
    return await Promise.race([work, expiry]);
  } finally {
    clearTimeout(timer);
  }
}
