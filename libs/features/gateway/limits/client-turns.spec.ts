import { type RateLimiter } from '@fresnel/adapters/rate-limit';
import fc from 'fast-check';
import { ClientTurns } from './client-turns';

const LIMITER: RateLimiter = {
  limit: { points: 1, windowSeconds: 1 },
  consume: () => Promise.reject(new Error('unexpected call')),
  charge: () => Promise.reject(new Error('unexpected call')),
};

/** A call that runs until `finish` is called. */
class ControlledCall {
  isRunning = false;
  finish: () => void = () => undefined;
  readonly ended: Promise<void>;

  constructor(turns: ClientTurns, client: string, points: number) {
    const finished = new Promise<void>((resolve) => (this.finish = resolve));
    this.ended = turns.run(client, points, async () => {
      this.isRunning = true;
      await finished;
      this.isRunning = false;
    });
  }
}

const settle = () => new Promise(setImmediate);

describe('turns of clients', () => {
  it('let expensive calls of one client run one after the other, in order', async () => {
    const turns = new ClientTurns(LIMITER);
    const calls = [51, 51, 501, 1].map((points) => new ControlledCall(turns, 'a', points));
    const other = new ControlledCall(turns, 'b', 501);
    const running = () => calls.map(({ isRunning }) => isRunning);
    expect([...running(), other.isRunning]).toEqual([true, false, false, false, true]);
    for (const [at, call] of calls.entries()) {
      call.finish();
      await settle();
      expect(running()).toEqual(calls.map((_, number) => number === at + 1));
    }
  });

  it('let cheap calls run at once', () => {
    const turns = new ClientTurns(LIMITER);
    const calls = Array.from({ length: 101 }, () => new ControlledCall(turns, 'a', 1));
    expect(calls.filter(({ isRunning }) => isRunning)).toHaveLength(100);
  });

  it('pass to the next call when one fails', async () => {
    const turns = new ClientTurns(LIMITER);
    const failed = turns.run('a', 501, () => Promise.reject(new Error('no')));
    const next = turns.run('a', 501, () => Promise.resolve(7));
    await expect(failed).rejects.toThrow('no');
    expect(await next).toBe(7);
  });

  it('run any calls, never more than the maximum at once', async () => {
    const points = fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 600 }));
    await fc.assert(
      fc.asyncProperty(fc.array(points, { maxLength: 60 }), async (costs) => {
        const turns = new ClientTurns(LIMITER);
        let running = 0;
        const results = costs.map((cost) =>
          turns.run('a', cost, async () => {
            running += cost;
            expect(running === cost || running <= 100).toBe(true);
            await settle();
            running -= cost;
            return cost;
          }),
        );
        expect(await Promise.all(results)).toEqual(costs);
      }),
    );
  });

  it('are not needed without a rate limit', () => {
    const turns = new ClientTurns(null);
    expect([501, 501].map((points) => new ControlledCall(turns, 'a', points).isRunning)).toEqual([true, true]);
  });
});
