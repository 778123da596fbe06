/** Injection token: a rate limiter in this process, or in a Redis that all gateways share. */
export const RATE_LIMITER = Symbol('RateLimiter');

export interface RateLimit {
  points: number;
  windowSeconds: number;
}

/** Limits the points that a client can consume per window. */
export interface RateLimiter {
  readonly limit: RateLimit;
  /** Consumes points of a client's window, all of them or none. The window starts with the client's first request. */
  consume(client: string, points: number): Promise<Allowance>;
  /**
   * Takes points for work that is done, also more than the window has. Then the window is longer by the time in which as many
   * points are granted, so that over time no client has more than its limit.
   */
  charge(client: string, points: number): Promise<void>;
}

/** The result of consuming points. */
export interface Allowance {
  isGranted: boolean;
  remainingPoints: number;
  /** Seconds until the window ends, at least 1. */
  resetSeconds: number;
}

/** Whole seconds for a `Retry-After` header: rounded up, at least 1. */
export function resetSecondsOf(msBeforeNext: number): number {
  return Math.max(1, Math.ceil(msBeforeNext / 1000));
}

/** How much longer a window is that has granted `points` too many. */
export function lengthOfDebtMs(limit: RateLimit, points: number): number {
  return Math.ceil((points * limit.windowSeconds * 1000) / limit.points);
}
