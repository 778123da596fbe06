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
