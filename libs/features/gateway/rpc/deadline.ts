import { FresnelError } from '@fresnel/domain/primitives';

/** Work was not done in time. */
export class DeadlineExceededError extends FresnelError {
  readonly code = 'deadline-exceeded';
  readonly isRetryable = true;
}

/** Waits for work, but no longer than this; what it comes to later is nobody's concern. @throws DeadlineExceededError */
export async function withDeadline<Value>(work: Promise<Value>, timeoutMs: number): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const expiry = new Promise<never>((_, fail) => {
    timer = setTimeout(() => {
      fail(new DeadlineExceededError(`not done within ${timeoutMs} ms`));
    }, timeoutMs);
  });
  try {
    return await Promise.race([work, expiry]);
  } finally {
    clearTimeout(timer);
  }
}
