import { type RateLimit } from '../gateway.options';

/** Injection token: counts points in this process, or in a place that all gateways share. */
export const RATE_LIMITER = Symbol('RateLimiter');

/** Counts the points that clients use. */
export interface RateLimiter {
  readonly limit: RateLimit;
  /** Takes points from a client's window, all of them or none. */
  take(client: string, points: number): Promise<Allowance>;
}

/** What became of a try to take points. */
export interface Allowance {
  isGranted: boolean;
  remainingPoints: number;
  /** Until all points are back, at least 1. */
  resetSeconds: number;
}
