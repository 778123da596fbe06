import { setTimeout as sleep } from 'node:timers/promises';
import { PATIENCE_MS } from './patience';

/** Waits until a condition is true. @throws the error of a promise in `running` that rejects meanwhile */
export async function until(
  condition: () => boolean | Promise<boolean>,
  running: Promise<unknown>[] = [],
): Promise<void> {
  let failure: { error: unknown } | undefined;
  for (const promise of running) {
    promise.catch((error: unknown) => {
      failure = { error };
    });
  }
  const startedAt = Date.now();
  while (!(await condition())) {
    if (failure) throw failure.error;
    if (Date.now() - startedAt > PATIENCE_MS) throw new Error('timeout while waiting for a condition');
    await sleep(10);
  }
}
