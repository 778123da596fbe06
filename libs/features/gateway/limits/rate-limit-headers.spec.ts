import { rateLimitHeaders } from './rate-limit-headers';

const LIMIT = { points: 1000, windowSeconds: 60 };

it('reports the points left', () => {
  expect(rateLimitHeaders(LIMIT, { isGranted: true, remainingPoints: 998, resetSeconds: 58 })).toEqual({
    'RateLimit-Policy': '"default";q=1000;w=60',
    RateLimit: '"default";r=998;t=58',
  });
});

it('reports when to retry', () => {
  expect(rateLimitHeaders(LIMIT, { isGranted: false, remainingPoints: 0, resetSeconds: 5 })).toMatchObject({
    'Retry-After': '5',
    RateLimit: '"default";r=0;t=5',
  });
});
