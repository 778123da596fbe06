import { createLogger, createRegistry } from '@fresnel/platform';
import { type Bench } from '@fresnel/testing/generic';
import { startTestRedis } from '@fresnel/testing/servers';
import { MemoryRateLimiter } from './memory-rate-limiter';
import { type RateLimit, type RateLimiter } from './rate-limiter';
import { RedisRateLimiter } from './redis-rate-limiter';

const LIMIT: RateLimit = { points: 1_000_000_000, windowSeconds: 3600 };
const REQUESTS = 20_000;
const CALLERS = 64;
const CLIENTS = 1_000;

export const bench: Bench = {
  title: 'Rate limits: consuming a point',
  data: `${CLIENTS.toLocaleString('en')} clients, ${CALLERS} requests at a time; Redis shares the machine`,
  unit: 'requests',
  prepare: async () => {
    const redis = await startTestRedis();
    const shared = await open(redis.url);
    const unreachable = await open('redis://127.0.0.1:1');
    const memory = new MemoryRateLimiter(LIMIT);
    return {
      ways: [
        { name: 'in Redis', run: () => consumeMany(shared) },
        { name: 'in memory because Redis is unavailable', run: () => consumeMany(unreachable) },
        { name: 'in memory', run: () => consumeMany(memory) },
      ],
      close: async () => {
        shared.close();
        unreachable.close();
        await redis.drop();
      },
    };
  },
};

function open(url: string): Promise<RedisRateLimiter> {
  return RedisRateLimiter.open({ url, limit: LIMIT }, { logger: createLogger('silent'), registry: createRegistry() });
}

async function consumeMany(limiter: RateLimiter): Promise<number> {
  let sent = 0;
  const caller = async () => {
    while (sent < REQUESTS) await limiter.consume(`client-${sent++ % CLIENTS}`, 1);
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  return REQUESTS;
}
