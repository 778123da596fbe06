import { setTimeout as sleep } from 'node:timers/promises';
import { createRegistry } from '@fresnel/platform';
import { describeRateLimiterContract } from './rate-limiter.contract';
import { captureLog } from '@fresnel/testing/generic';
import { startTestRedis, type TestRedis } from '@fresnel/testing/servers';
import { Redis } from 'ioredis';
import { windowKey } from './keys';
import { type RateLimit } from './rate-limiter';
import { RedisRateLimiter } from './redis-rate-limiter';

const LIMIT: RateLimit = { points: 10, windowSeconds: 3600 };
const PATIENCE_MS = 30_000;
const NOWHERE = 'redis://:a-secret@127.0.0.1:1';

let redis: TestRedis;
let admin: Redis;
const opened: RedisRateLimiter[] = [];

beforeAll(async () => {
  redis = await startTestRedis();
  admin = new Redis(redis.url);
  admin.on('error', () => undefined);
});
beforeEach(() => admin.flushall());
afterEach(() => {
  for (const limiter of opened.splice(0)) limiter.close();
});
afterAll(async () => {
  admin.disconnect();
  await redis.drop();
});

/** A limiter, and what it says. */
async function open(limit: RateLimit = LIMIT, url = redis.url, keyPrefix = '') {
  const { logger, lines } = captureLog();
  const registry = createRegistry();
  const limiter = await RedisRateLimiter.open({ url, limit, keyPrefix }, { logger, registry });
  opened.push(limiter);
  const said = () => lines.map(({ level, msg }) => [level, msg]);
  const isInsured = async () => (await registry.metrics()).includes('\nfresnel_gateway_rate_limit_insured 1\n');
  return { limiter, lines, said, isInsured };
}

/** Asks for nothing that counts until Redis counts again. */
async function untilShared({ limiter, isInsured }: Awaited<ReturnType<typeof open>>): Promise<void> {
  const startedAt = Date.now();
  while (await isInsured()) {
    if (Date.now() - startedAt > PATIENCE_MS) throw new Error('waited in vain for Redis to count again');
    await limiter.take('somebody else', LIMIT.points + 1);
    await sleep(20);
  }
}

/** Number of the limiter's connection, which Redis counts up. */
async function connectionNumber(): Promise<string | undefined> {
  return /id=(\d+) .* name=fresnel-rate-limit /.exec(String(await admin.client('LIST')))?.[1];
}

/** Whether an answer needs neither the network nor a timer. */
async function isAnsweredAtOnce(answer: Promise<unknown>): Promise<boolean> {
  let isAnswered = false;
  void answer.then(() => (isAnswered = true));
  await new Promise(setImmediate);
  return isAnswered;
}

const AWAY = ['warn', 'Redis is away: rate limits are counted in memory'];
const BACK = ['info', 'rate limits are counted in Redis again'];

describe('with a Redis', () => {
  const limiters = new Map<number, RedisRateLimiter>();
  beforeAll(async () => {
    for (const windowSeconds of [1, 3600]) {
      const limit = { points: 10, windowSeconds };
      const parts = { logger: captureLog().logger, registry: createRegistry() };
      limiters.set(windowSeconds, await RedisRateLimiter.open({ url: redis.url, limit }, parts));
    }
  });
  afterAll(() => {
    for (const limiter of limiters.values()) limiter.close();
  });

  describeRateLimiterContract('the limiter in Redis', ({ windowSeconds }) => {
    const limiter = limiters.get(windowSeconds);
    if (!limiter) throw new Error(`no limiter has a window of ${windowSeconds} s`);
    return limiter;
  });
});

describe('limiters that share a Redis', () => {
  it('count together', async () => {
    const [one, other] = [await open(), await open()];
    await one.limiter.take('a', 6);
    expect(await other.limiter.take('a', 5)).toMatchObject({ isGranted: false, remainingPoints: 4 });
    expect(await other.limiter.take('a', 4)).toMatchObject({ isGranted: true, remainingPoints: 0 });
    expect(await one.limiter.take('a', 1)).toMatchObject({ isGranted: false, remainingPoints: 0 });
  });

  it('grant every point once and none twice, whatever requests cost', async () => {
    const limit = { points: 1000, windowSeconds: 3600 };
    const [one, other] = [await open(limit), await open(limit)];
    const costs = Array.from({ length: 900 }, (_, index) => 1 + (index % 5));
    const allowances = await Promise.all(
      costs.map((cost, index) => (index % 2 ? one : other).limiter.take('a', cost).then((it) => ({ ...it, cost }))),
    );
    const granted = allowances.filter(({ isGranted }) => isGranted).reduce((sum, { cost }) => sum + cost, 0);
    expect(granted).toBe(1000);
    expect(await admin.get(windowKey('', 'a'))).toBe('1000');
  });

  it('count apart under different key prefixes', async () => {
    const [one, other] = [await open(LIMIT, redis.url, 'one:'), await open(LIMIT, redis.url, 'other:')];
    await one.limiter.take('a', 10);
    expect(await other.limiter.take('a', 10)).toMatchObject({ isGranted: true, remainingPoints: 0 });
    expect((await admin.keys('*')).sort()).toEqual([windowKey('one:', 'a'), windowKey('other:', 'a')]);
  });

  it('keep one key for a client, which goes away with its window', async () => {
    const { limiter } = await open();
    await limiter.take('a', 1);
    await limiter.take('a', 100);
    expect(await admin.keys('*')).toEqual([windowKey('', 'a')]);
    expect(await admin.ttl(windowKey('', 'a'))).toBeGreaterThan(0);
  });
});

describe('a Redis that', () => {
  it('is not there at first is waited for by nobody, and used when it comes', async () => {
    await redis.stop();
    const opening = await open();
    const { limiter, said } = opening;
    expect(await limiter.take('a', 10)).toMatchObject({ isGranted: true });
    expect(await limiter.take('a', 1)).toMatchObject({ isGranted: false });
    expect(said()).toEqual([AWAY]);
    await redis.restart();
    await untilShared(opening);
    expect(said()).toEqual([AWAY, BACK]);
  });

  it('goes and comes back leaves no request without an answer and no client without a limit', async () => {
    const opening = await open();
    const { limiter, said } = opening;
    await limiter.take('a', 3);
    const crossing = Array.from({ length: 100 }, () => limiter.take('b', 1));
    await redis.stop();
    // Some were counted in Redis, the others in memory: each has the limit once.
    const crossed = (await Promise.all(crossing)).filter(({ isGranted }) => isGranted);
    expect(crossed.length).toBeLessThanOrEqual(2 * LIMIT.points);
    const insured = await Promise.all(Array.from({ length: 100 }, () => limiter.take('a', 1)));
    expect(insured.filter(({ isGranted }) => isGranted)).toHaveLength(LIMIT.points);
    expect(await isAnsweredAtOnce(limiter.take('c', 1))).toBe(true);
    await redis.restart();
    await untilShared(opening);
    expect(await limiter.take('a', 1)).toMatchObject({ isGranted: true, remainingPoints: 9 });
    expect(said()).toEqual([AWAY, BACK]);
  });

  it('falls silent is not waited for, and called anew', async () => {
    const opening = await open();
    const { limiter, isInsured } = opening;
    await limiter.take('a', 10);
    const before = await connectionNumber();
    await admin.client('PAUSE', 3_000);
    // Had Redis answered this, late, it would have refused.
    expect(await limiter.take('a', 1)).toMatchObject({ isGranted: true, remainingPoints: 9 });
    expect(await isInsured()).toBe(true);
    await untilShared(opening);
    expect(await limiter.take('a', 1)).toMatchObject({ isGranted: false, remainingPoints: 0 });
    expect(await connectionNumber()).not.toBe(before);
  });

  it('takes no writes is as good as away, and called anew: another may have its place', async () => {
    const opening = await open();
    const { limiter, said } = opening;
    const before = await connectionNumber();
    await admin.replicaof('127.0.0.1', 1);
    expect(await limiter.take('a', 10)).toMatchObject({ isGranted: true });
    expect(await limiter.take('a', 1)).toMatchObject({ isGranted: false });
    await admin.replicaof('NO', 'ONE');
    await untilShared(opening);
    expect(said()).toEqual([AWAY, BACK]);
    expect(await connectionNumber()).not.toBe(before);
  });
});

it('a warning says why Redis is away, and no password', async () => {
  const { lines } = await open(LIMIT, NOWHERE);
  expect(lines).toMatchObject([{ error: { message: expect.stringContaining('ECONNREFUSED') as string } }]);
  expect(JSON.stringify(lines)).not.toContain('a-secret');
});

it('a limiter that was closed counts in memory', async () => {
  const { limiter } = await open();
  limiter.close();
  expect(await limiter.take('a', 10)).toMatchObject({ isGranted: true });
  expect(await limiter.take('a', 1)).toMatchObject({ isGranted: false });
});
