import { type Allowance, type RateLimit } from '@fresnel/adapters/rate-limit';

const POLICY = '"default"';

/** Headers that tell a client where it stands, and when to come back if it was refused. */
export function rateLimitHeaders({ points, windowSeconds }: RateLimit, allowance: Allowance): Record<string, string> {
  const { isGranted, remainingPoints, resetSeconds } = allowance;
  return {
    'RateLimit-Policy': `${POLICY};q=${points};w=${windowSeconds}`,
    RateLimit: `${POLICY};r=${remainingPoints};t=${resetSeconds}`,
    ...(isGranted ? {} : { 'Retry-After': String(resetSeconds) }),
  };
}
