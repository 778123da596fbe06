import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { EventLoopDelay } from './event-loop-delay';

const BUSY_MS = 200;

/** Keeps every turn of the event loop busy until the delay is measured, or for a time that is long enough. */
async function blockUntil(isMeasured: () => boolean): Promise<void> {
  for (let turn = 0; turn < 60 && !isMeasured(); turn++) {
    const endsAt = performance.now() + BUSY_MS;
    while (performance.now() < endsAt);
    await nextTurn();
  }
}

describe('EventLoopDelay', () => {
  it('grows while the event loop is blocked, and falls afterwards', async () => {
    const delay = new EventLoopDelay();
    expect(delay.meanMs).toBe(0);
    await blockUntil(() => delay.meanMs > BUSY_MS / 4);
    const blockedMs = delay.meanMs;
    expect(blockedMs).toBeGreaterThan(BUSY_MS / 4);
    while (delay.meanMs >= blockedMs) await sleep(50);
    delay.stop();
  });
});
