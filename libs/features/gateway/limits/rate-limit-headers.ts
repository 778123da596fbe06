import { type Allowance, type RateLimit } from '@fresnel/adapters/rate-limit';

const POLICY = '"default"';

/** The policy, the points left, and for a rejected request the seconds to wait. */
export function rateLimitHeaders({ points, windowSeconds }: RateLimit, allowance: Allowance): Record<string, string> {
  const { isGranted, remainingPoints, resetSeconds } = allowance;
  return {
    'RateLimit-Policy': `${POLICY};q=${points};w=${windowSeconds}`,
    RateLimit: `${POLICY};r=${remainingPoints};t=${resetSeconds}`,
    ...(isGranted ? {} : { 'Retry-After': String(resetSeconds) }),
  };
}
