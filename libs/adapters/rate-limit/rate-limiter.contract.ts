import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RateLimit, type RateLimiter } from './rate-limiter';

const LONG: RateLimit = { points: 10, windowSeconds: 3600 };
const SHORT: RateLimit = { points: 10, windowSeconds: 1 };

/** What every limiter promises. @param limiterOf gives one, which the suite does not end */
export function describeRateLimiterContract(name: string, limiterOf: (limit: RateLimit) => RateLimiter): void {
  describe(name, () => {
    let limiter: RateLimiter;
    let client: string;
    beforeEach(() => {
      limiter = limiterOf(LONG);
      client = randomUUID();
    });

    it('knows its limit', () => {
      expect(limiter.limit).toEqual(LONG);
    });

    it('grants points until they are used up', async () => {
      expect(await limiter.take(client, 7)).toMatchObject({ isGranted: true, remainingPoints: 3 });
      expect(await limiter.take(client, 3)).toMatchObject({ isGranted: true, remainingPoints: 0 });
      expect(await limiter.take(client, 1)).toMatchObject({ isGranted: false, remainingPoints: 0 });
    });

    it('does not count what it refuses', async () => {
      await limiter.take(client, 6);
      expect(await limiter.take(client, 5)).toMatchObject({ isGranted: false, remainingPoints: 4 });
      expect(await limiter.take(client, 100)).toMatchObject({ isGranted: false, remainingPoints: 4 });
      expect(await limiter.take(client, 4)).toMatchObject({ isGranted: true, remainingPoints: 0 });
    });

    it('refuses more than a window has, and leaves the window whole', async () => {
      expect(await limiter.take(client, 11)).toMatchObject({ isGranted: false, remainingPoints: 10 });
      expect(await limiter.take(client, 10)).toMatchObject({ isGranted: true, remainingPoints: 0 });
    });

    it('counts each client by itself', async () => {
      await limiter.take(client, 10);
      expect(await limiter.take(randomUUID(), 10)).toMatchObject({ isGranted: true });
    });

    it('grants no more to many at once than to one after the other', async () => {
      const allowances = await Promise.all(Array.from({ length: 50 }, () => limiter.take(client, 1)));
      expect(allowances.filter(({ isGranted }) => isGranted)).toHaveLength(10);
    });

    it('says when the window ends, in whole seconds, granted or not', async () => {
      for (const points of [1, 9, 1]) {
        const { resetSeconds } = await limiter.take(client, points);
        expect(Number.isInteger(resetSeconds)).toBe(true);
        expect(resetSeconds).toBeGreaterThan(0);
        expect(resetSeconds).toBeLessThanOrEqual(LONG.windowSeconds);
      }
    });

    it('grants anew when the window has ended', async () => {
      const brief = limiterOf(SHORT);
      await brief.take(client, 10);
      await sleep((SHORT.windowSeconds + 0.1) * 1000);
      expect(await brief.take(client, 10)).toMatchObject({ isGranted: true, remainingPoints: 0 });
    });
  });
}
