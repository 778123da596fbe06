import { setTimeout as sleep } from 'node:timers/promises';
import { PATIENCE_MS } from './patience';

/** Checks a condition repeatedly until it is true. @throws an error with `description` on timeout */
export async function eventually(
  description: string,
  condition: () => boolean | Promise<boolean>,
  timeoutMs = PATIENCE_MS,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`timeout while waiting until: ${description}`);
    await sleep(50);
  }
}
