export { MemoryRateLimitModule, type MemoryRateLimitOptions } from './memory-rate-limit.module';
export { RedisRateLimitModule, type RedisRateLimitOptions } from './redis-rate-limit.module';
