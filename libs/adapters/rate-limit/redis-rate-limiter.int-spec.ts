import { createRegistry } from '@fresnel/platform';
import { describeRateLimiterContract } from './rate-limiter.contract';
import { captureLog, eventually } from '@fresnel/testing/generic';
import {
  bulkReply,
  type ScriptedRedis,
  startScriptedRedis,
  startTestRedis,
  type TestRedis,
} from '@fresnel/testing/servers';
import { Redis } from 'ioredis';
import { windowKey } from './keys';
import { type RateLimit } from './rate-limiter';
import { RedisRateLimiter } from './redis-rate-limiter';

const LIMIT: RateLimit = { points: 10, windowSeconds: 3600 };
/** Far more than an answer takes on a busy machine: without one, points are counted in memory. */
const TIMEOUT_MS = 30_000;
const PAUSE_MS = 6_000;
const UNREACHABLE_URL = 'redis://:a-secret@127.0.0.1:1';

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

/** Opens a limiter with a captured log. */
async function open(limit: RateLimit = LIMIT, url = redis.url, keyPrefix = '', timeoutMs = TIMEOUT_MS) {
  const { logger, lines } = captureLog();
  const registry = createRegistry();
  const limiter = await RedisRateLimiter.open({ url, limit, keyPrefix, timeoutMs }, { logger, registry });
  opened.push(limiter);
  const messages = () => lines.map(({ level, msg }) => [level, msg]);
  const isFallback = async () => (await registry.metrics()).includes('\nfresnel_gateway_rate_limit_local_fallback 1\n');
  return { limiter, lines, messages, isFallback };
}

/** Sends requests that consume no points until they are counted in Redis again. */
async function untilShared({ limiter, isFallback }: Awaited<ReturnType<typeof open>>): Promise<void> {
  await eventually('limits are counted in Redis again', async () => {
    await limiter.consume('another client', LIMIT.points + 1);
    return !(await isFallback());
  });
}

/** The id of the limiter's connection in Redis. */
async function connectionId(): Promise<string | undefined> {
  return /id=(\d+) .* name=fresnel-rate-limit /.exec(String(await admin.client('LIST')))?.[1];
}

/** Whether a promise resolves without waiting for the network or a timer. */
async function resolvesAtOnce(promise: Promise<unknown>): Promise<boolean> {
  let isResolved = false;
  void promise.then(() => (isResolved = true));
  await new Promise(setImmediate);
  return isResolved;
}

const OUTAGE = ['warn', 'Redis is unavailable: rate limits are counted in memory'];
const RECOVERY = ['info', 'rate limits are counted in Redis again'];

describe('with Redis', () => {
  const limiters = new Map<number, RedisRateLimiter>();
  beforeAll(async () => {
    for (const windowSeconds of [1, 3600]) {
      const limit = { points: 10, windowSeconds };
      const parts = { logger: captureLog().logger, registry: createRegistry() };
      const options = { url: redis.url, limit, timeoutMs: TIMEOUT_MS };
      limiters.set(windowSeconds, await RedisRateLimiter.open(options, parts));
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
  it('count points together', async () => {
    const [one, other] = [await open(), await open()];
    await one.limiter.consume('a', 6);
    expect(await other.limiter.consume('a', 5)).toMatchObject({ isGranted: false, remainingPoints: 4 });
    expect(await other.limiter.consume('a', 4)).toMatchObject({ isGranted: true, remainingPoints: 0 });
    expect(await one.limiter.consume('a', 1)).toMatchObject({ isGranted: false, remainingPoints: 0 });
  });

  it('grant every point exactly once, for requests with different costs', async () => {
    const limit = { points: 1000, windowSeconds: 3600 };
    const [one, other] = [await open(limit), await open(limit)];
    const costs = Array.from({ length: 900 }, (_, index) => 1 + (index % 5));
    const allowances = await Promise.all(
      costs.map((cost, index) => (index % 2 ? one : other).limiter.consume('a', cost).then((it) => ({ ...it, cost }))),
    );
    const granted = allowances.filter(({ isGranted }) => isGranted).reduce((sum, { cost }) => sum + cost, 0);
    expect(granted).toBe(1000);
    expect(await admin.get(windowKey('', 'a'))).toBe('1000');
  });

  it('count separately with different key prefixes', async () => {
    const [one, other] = [await open(LIMIT, redis.url, 'one:'), await open(LIMIT, redis.url, 'other:')];
    await one.limiter.consume('a', 10);
    expect(await other.limiter.consume('a', 10)).toMatchObject({ isGranted: true, remainingPoints: 0 });
    expect((await admin.keys('*')).sort()).toEqual([windowKey('one:', 'a'), windowKey('other:', 'a')]);
  });

  it('keep one key per client, which expires with its window', async () => {
    const { limiter } = await open();
    await limiter.consume('a', 1);
    await limiter.consume('a', 100);
    expect(await admin.keys('*')).toEqual([windowKey('', 'a')]);
    expect(await admin.ttl(windowKey('', 'a'))).toBeGreaterThan(0);
  });
});

describe('a Redis outage', () => {
  it('at the start makes no request wait, and Redis is used once it is up', async () => {
    await redis.stop();
    const opening = await open();
    const { limiter, messages } = opening;
    expect(await limiter.consume('a', 10)).toMatchObject({ isGranted: true });
    expect(await limiter.consume('a', 1)).toMatchObject({ isGranted: false });
    expect(messages()).toEqual([OUTAGE]);
    await redis.restart();
    await untilShared(opening);
    expect(messages()).toEqual([OUTAGE, RECOVERY]);
  });

  it('leaves no request without a response and no client without a limit', async () => {
    const opening = await open();
    const { limiter, messages } = opening;
    await limiter.consume('a', 3);
    const duringStop = Array.from({ length: 100 }, () => limiter.consume('b', 1));
    await redis.stop();
    // Some were counted in Redis and the others in memory, each up to the limit.
    const granted = (await Promise.all(duringStop)).filter(({ isGranted }) => isGranted);
    expect(granted.length).toBeLessThanOrEqual(2 * LIMIT.points);
    const inMemory = await Promise.all(Array.from({ length: 100 }, () => limiter.consume('a', 1)));
    expect(inMemory.filter(({ isGranted }) => isGranted)).toHaveLength(LIMIT.points);
    expect(await resolvesAtOnce(limiter.consume('c', 1))).toBe(true);
    await redis.restart();
    await untilShared(opening);
    expect(await limiter.consume('a', 1)).toMatchObject({ isGranted: true, remainingPoints: 9 });
    expect(messages()).toEqual([OUTAGE, RECOVERY]);
  });

  it('without closed connections makes no request wait, and the limiter reconnects', async () => {
    const opening = await open(LIMIT, redis.url, '', PAUSE_MS / 4);
    const { limiter, isFallback } = opening;
    await limiter.consume('a', 10);
    const before = await connectionId();
    await admin.client('PAUSE', PAUSE_MS);
    // Counted in memory: Redis would reject it.
    expect(await limiter.consume('a', 1)).toMatchObject({ isGranted: true, remainingPoints: 9 });
    expect(await isFallback()).toBe(true);
    await untilShared(opening);
    expect(await limiter.consume('a', 1)).toMatchObject({ isGranted: false, remainingPoints: 0 });
    expect(await connectionId()).not.toBe(before);
  });

  it('includes a Redis that is read-only after a failover, and the limiter reconnects', async () => {
    const opening = await open();
    const { limiter, messages } = opening;
    const before = await connectionId();
    await admin.replicaof('127.0.0.1', 1);
    expect(await limiter.consume('a', 10)).toMatchObject({ isGranted: true });
    expect(await limiter.consume('a', 1)).toMatchObject({ isGranted: false });
    await admin.replicaof('NO', 'ONE');
    await untilShared(opening);
    expect(messages()).toEqual([OUTAGE, RECOVERY]);
    expect(await connectionId()).not.toBe(before);
  });
});

describe('a Redis whose replies are scripted', () => {
  const GRANTED = '*2\r\n:1\r\n:3600000';
  let scripted: ScriptedRedis;
  let evaluated: string;
  let info: string;
  beforeEach(async () => {
    [evaluated, info] = [GRANTED, 'redis_version:6.2.14\r\nloading:0'];
    scripted = await startScriptedRedis(([name]) => {
      if (name.startsWith('eval')) return evaluated;
      return name === 'info' ? bulkReply(info) : '+OK';
    });
  });
  afterEach(() => scripted.close());

  it('that is read-only after a failover, as 6.2 reports it, is an outage, and the limiter reconnects', async () => {
    const opening = await open(LIMIT, scripted.url);
    evaluated =
      "-ERR Error running script (call to f_abc): @user_script:2: @user_script: 2: -READONLY You can't write against a read only replica. ";
    expect(await opening.limiter.consume('a', 10)).toMatchObject({ isGranted: true });
    await eventually('the limiter reconnects', () => scripted.connections > 1);
    evaluated = GRANTED;
    await untilShared(opening);
    expect(opening.messages()).toEqual([OUTAGE, RECOVERY]);
  });

  it('that loads its data at the start makes nothing wait, and is used afterwards', async () => {
    info = 'loading:1\r\nloading_eta_seconds:1';
    const opening = await open(LIMIT, scripted.url);
    expect(await opening.limiter.consume('a', 10)).toMatchObject({ isGranted: true, remainingPoints: 0 });
    expect(opening.messages()).toEqual([OUTAGE]);
    info = 'loading:0';
    await untilShared(opening);
    expect(opening.messages()).toEqual([OUTAGE, RECOVERY]);
  });
});

it('logs the reason of an outage without the password', async () => {
  const { lines } = await open(LIMIT, UNREACHABLE_URL);
  expect(lines).toMatchObject([{ error: { message: expect.stringContaining('ECONNREFUSED') as string } }]);
  expect(JSON.stringify(lines)).not.toContain('a-secret');
});

it('counts in memory after it was closed', async () => {
  const { limiter } = await open();
  limiter.close();
  expect(await limiter.consume('a', 10)).toMatchObject({ isGranted: true });
  expect(await limiter.consume('a', 1)).toMatchObject({ isGranted: false });
});
