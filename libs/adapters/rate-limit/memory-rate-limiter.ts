import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { type Allowance, type RateLimit, type RateLimiter, resetSecondsOf } from './rate-limiter';

/** Counts points in this process. */
export class MemoryRateLimiter implements RateLimiter {
  private readonly windows: RateLimiterMemory;

  constructor(readonly limit: RateLimit) {
    this.windows = new RateLimiterMemory({ points: limit.points, duration: limit.windowSeconds });
  }

  async consume(client: string, points: number): Promise<Allowance> {
    try {
      return toAllowance(true, await this.windows.consume(client, points));
    } catch (rejection) {
      if (!(rejection instanceof RateLimiterRes)) throw rejection;
      // Refunds the points: a rejected request does not count.
      return toAllowance(false, await this.windows.reward(client, points));
    }
  }
}

function toAllowance(isGranted: boolean, { remainingPoints, msBeforeNext }: RateLimiterRes): Allowance {
  return { isGranted, remainingPoints, resetSeconds: resetSecondsOf(msBeforeNext) };
}
