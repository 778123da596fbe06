import { yieldAfter } from './event-loop';

/** Keeps the event loop busy. */
function compute(milliseconds: number): void {
  const endsAt = performance.now() + milliseconds;
  while (performance.now() < endsAt);
}

describe('yieldAfter', () => {
  it('lets a timer run once the turn has lasted for the given time', async () => {
    let ticks = 0;
    const timer = setInterval(() => ticks++, 1);
    for (let step = 0; step < 40; step++) {
      await yieldAfter(2);
      compute(1);
    }
    clearInterval(timer);
    expect(ticks).toBeGreaterThanOrEqual(5);
  });

  it('does not end a turn that is shorter', async () => {
    await new Promise(setImmediate);
    let hasEnded = false;
    setImmediate(() => (hasEnded = true));
    for (let step = 0; step < 1_000; step++) await yieldAfter(60_000);
    expect(hasEnded).toBe(false);
  });
});
