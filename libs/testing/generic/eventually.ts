import { setTimeout as sleep } from 'node:timers/promises';
import { PATIENCE_MS } from './patience';

/** A test that waits for longer than this says for what, although it passes: nothing else tells why it was slow. */
const NOTABLE_MS = 60_000;

/** Checks a condition repeatedly until it is true. @throws an error with `description` on timeout */
export async function eventually(
  description: string,
  condition: () => boolean | Promise<boolean>,
  timeoutMs = PATIENCE_MS,
): Promise<void> {
  const startedAt = Date.now();
  while (!(await condition())) {
    if (Date.now() > startedAt + timeoutMs) throw new Error(`timeout while waiting until: ${description}`);
    await sleep(50);
  }
  const waitedMs = Date.now() - startedAt;
  if (waitedMs > NOTABLE_MS) console.warn(`waited ${Math.round(waitedMs / 1_000)} s until: ${description}`);
}
