export { MemoryRateLimiter } from './memory-rate-limiter';
export { type Allowance, RATE_LIMITER, type RateLimit, type RateLimiter } from './rate-limiter';
export { RedisRateLimiter, type RedisRateLimiterOptions } from './redis-rate-limiter';
