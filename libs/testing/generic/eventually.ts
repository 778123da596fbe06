import { setTimeout as sleep } from 'node:timers/promises';

/** Long enough for a slow machine. */
const TIMEOUT_MS = 120_000;

/** Checks a condition repeatedly until it is true. @throws an error with `description` on timeout */
export async function eventually(
  description: string,
  condition: () => boolean | Promise<boolean>,
  timeoutMs = TIMEOUT_MS,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`timeout while waiting until: ${description}`);
    await sleep(50);
  }
}
