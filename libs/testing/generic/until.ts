import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for something to come true. @throws the error of what ends in vain meanwhile */
export async function until(condition: () => boolean, running: Promise<unknown>[] = []): Promise<void> {
  let failure: { error: unknown } | undefined;
  for (const promise of running) {
    promise.catch((error: unknown) => {
      failure = { error };
    });
  }
  const startedAt = Date.now();
  while (!condition()) {
    if (failure) throw failure.error;
    if (Date.now() - startedAt > 50_000) throw new Error('it did not come to that in 50 s');
    await sleep(10);
  }
}
