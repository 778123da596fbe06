import { createLogger, createRegistry } from '@fresnel/platform';
import { type Bench } from '@fresnel/testing/generic';
import { startTestRedis } from '@fresnel/testing/servers';
import { MemoryRateLimiter } from './memory-rate-limiter';
import { type RateLimit, type RateLimiter } from './rate-limiter';
import { RedisRateLimiter } from './redis-rate-limiter';

const LIMIT: RateLimit = { points: 1_000_000_000, windowSeconds: 3600 };
const TAKES = 20_000;
const CALLERS = 64;
const CLIENTS = 1_000;

export const bench: Bench = {
  title: 'Rate limits: taking a point',
  data: `${CLIENTS.toLocaleString('en')} clients, ${CALLERS} requests at a time; Redis shares the machine`,
  unit: 'takes',
  prepare: async () => {
    const redis = await startTestRedis();
    const shared = await open(redis.url);
    const insured = await open('redis://127.0.0.1:1');
    const memory = new MemoryRateLimiter(LIMIT);
    return {
      ways: [
        { name: 'in Redis', run: () => takeMany(shared) },
        { name: 'in memory because Redis is away', run: () => takeMany(insured) },
        { name: 'in memory', run: () => takeMany(memory) },
      ],
      close: async () => {
        shared.close();
        insured.close();
        await redis.drop();
      },
    };
  },
};

function open(url: string): Promise<RedisRateLimiter> {
  return RedisRateLimiter.open({ url, limit: LIMIT }, { logger: createLogger('silent'), registry: createRegistry() });
}

async function takeMany(limiter: RateLimiter): Promise<number> {
  let taken = 0;
  const caller = async () => {
    while (taken < TAKES) await limiter.take(`client-${taken++ % CLIENTS}`, 1);
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  return TAKES;
}
