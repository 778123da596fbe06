/** Injection token: counts points in this process, or in a Redis that all gateways share. */
export const RATE_LIMITER = Symbol('RateLimiter');

export interface RateLimit {
  points: number;
  windowSeconds: number;
}

/** Counts the points that clients use. */
export interface RateLimiter {
  readonly limit: RateLimit;
  /** Takes points from a client's window, all of them or none. The window begins with the client's first try. */
  take(client: string, points: number): Promise<Allowance>;
}

/** What became of a try to take points. */
export interface Allowance {
  isGranted: boolean;
  remainingPoints: number;
  /** Until all points are back, at least 1. */
  resetSeconds: number;
}

/** Whole seconds to wait, as clients are told; none is told to come back at once. */
export function resetSecondsOf(msBeforeNext: number): number {
  return Math.max(1, Math.ceil(msBeforeNext / 1000));
}
