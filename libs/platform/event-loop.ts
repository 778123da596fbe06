import { setImmediate as nextTurn } from 'node:timers/promises';
import { now } from './time';

/** When the current turn of the event loop was first measured; null: not measured yet. */
let turnStartedAt: number | null = null;

/**
 * Lets timers and requests run if the current turn of the event loop has lasted for some time. Long computations call
 * it between their steps.
 *
 * @param maxMs of the turn, counted from the first call in it
 */
export async function yieldAfter(maxMs: number): Promise<void> {
  const at = now();
  if (turnStartedAt === null) {
    turnStartedAt = at;
    setImmediate(() => (turnStartedAt = null));
  }
  if (at - turnStartedAt >= maxMs) await nextTurn();
}
