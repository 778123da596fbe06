import { randomUUID } from 'node:crypto';
import { eventually } from '@fresnel/testing/generic';
import { type RateLimit, type RateLimiter } from './rate-limiter';

const LONG: RateLimit = { points: 10, windowSeconds: 3600 };
const SHORT: RateLimit = { points: 10, windowSeconds: 1 };

/** The contract suite of `RateLimiter`. @param limiterOf returns a limiter that the suite does not close */
export function describeRateLimiterContract(name: string, limiterOf: (limit: RateLimit) => RateLimiter): void {
  describe(name, () => {
    let limiter: RateLimiter;
    let client: string;
    beforeEach(() => {
      limiter = limiterOf(LONG);
      client = randomUUID();
    });

    it('has its limit as a property', () => {
      expect(limiter.limit).toEqual(LONG);
    });

    it('grants points until they are used up', async () => {
      expect(await limiter.consume(client, 7)).toMatchObject({ isGranted: true, remainingPoints: 3 });
      expect(await limiter.consume(client, 3)).toMatchObject({ isGranted: true, remainingPoints: 0 });
      expect(await limiter.consume(client, 1)).toMatchObject({ isGranted: false, remainingPoints: 0 });
    });

    it('does not count rejected requests', async () => {
      await limiter.consume(client, 6);
      expect(await limiter.consume(client, 5)).toMatchObject({ isGranted: false, remainingPoints: 4 });
      expect(await limiter.consume(client, 100)).toMatchObject({ isGranted: false, remainingPoints: 4 });
      expect(await limiter.consume(client, 4)).toMatchObject({ isGranted: true, remainingPoints: 0 });
    });

    it('rejects a request for more points than a window has, and consumes none', async () => {
      expect(await limiter.consume(client, 11)).toMatchObject({ isGranted: false, remainingPoints: 10 });
      expect(await limiter.consume(client, 10)).toMatchObject({ isGranted: true, remainingPoints: 0 });
    });

    it('counts each client separately', async () => {
      await limiter.consume(client, 10);
      expect(await limiter.consume(randomUUID(), 10)).toMatchObject({ isGranted: true });
    });

    it('grants no more to concurrent than to sequential requests', async () => {
      const allowances = await Promise.all(Array.from({ length: 50 }, () => limiter.consume(client, 1)));
      expect(allowances.filter(({ isGranted }) => isGranted)).toHaveLength(10);
    });

    it('returns when the window ends, in whole seconds, for granted and rejected requests', async () => {
      for (const points of [1, 9, 1]) {
        const { resetSeconds } = await limiter.consume(client, points);
        expect(Number.isInteger(resetSeconds)).toBe(true);
        expect(resetSeconds).toBeGreaterThan(0);
        expect(resetSeconds).toBeLessThanOrEqual(LONG.windowSeconds);
      }
    });

    it('charges points for work that is done, and refuses the next requests if it was too much', async () => {
      await limiter.consume(client, 2);
      await limiter.charge(client, 3);
      expect(await limiter.consume(client, 1)).toMatchObject({ isGranted: true, remainingPoints: 4 });
      await limiter.charge(client, 9);
      expect(await limiter.consume(client, 1)).toMatchObject({ isGranted: false, remainingPoints: 0 });
    });

    it('starts a window with a charge', async () => {
      await limiter.charge(client, 4);
      expect(await limiter.consume(client, 1)).toMatchObject({ isGranted: true, remainingPoints: 5 });
    });

    it('makes a window longer by the time of its debt', async () => {
      await limiter.charge(client, 25);
      const { resetSeconds } = await limiter.consume(client, 1);
      expect(resetSeconds).toBeGreaterThan(2.4 * LONG.windowSeconds);
      expect(resetSeconds).toBeLessThanOrEqual(2.5 * LONG.windowSeconds);
    });

    it('counts any number of charges at the same time', async () => {
      await Promise.all(Array.from({ length: 30 }, () => limiter.charge(client, 1)));
      const { resetSeconds } = await limiter.consume(client, 1);
      expect(resetSeconds).toBeGreaterThan(2.9 * LONG.windowSeconds);
      expect(resetSeconds).toBeLessThanOrEqual(3 * LONG.windowSeconds);
    });

    it('grants points again after the window has ended', async () => {
      const brief = limiterOf(SHORT);
      await brief.consume(client, 10);
      await eventually('points are granted', async () => (await brief.consume(client, 10)).isGranted);
    });
  });
}
