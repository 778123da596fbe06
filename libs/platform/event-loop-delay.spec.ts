import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { EventLoopDelay } from './event-loop-delay';

const BLOCKED_MS = 200;

const never = new Int32Array(new SharedArrayBuffer(4));

/** Blocks every turn of the event loop until the delay is measured, or for a time that is long enough. */
async function blockUntil(isMeasured: () => boolean): Promise<void> {
  for (let turn = 0; turn < 60 && !isMeasured(); turn++) {
    Atomics.wait(never, 0, 0, BLOCKED_MS);
    await nextTurn();
  }
}

describe('EventLoopDelay', () => {
  it('grows while the event loop is blocked, and falls afterwards', async () => {
    const delay = new EventLoopDelay();
    expect(delay.meanMs).toBe(0);
    await blockUntil(() => delay.meanMs > BLOCKED_MS / 4);
    const blockedMs = delay.meanMs;
    expect(blockedMs).toBeGreaterThan(BLOCKED_MS / 4);
    while (delay.meanMs >= blockedMs) await sleep(50);
    delay.stop();
  });
});
