import { setTimeout as sleep } from 'node:timers/promises';

/** Long enough for a slow machine; who waits so long waits in vain. */
const PATIENCE_MS = 120_000;

/** Asks again and again until something holds. @throws an error that names it */
export async function eventually(
  what: string,
  holds: () => boolean | Promise<boolean>,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const deadline = Date.now() + patienceMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`waited in vain: ${what}`);
    await sleep(50);
  }
}
