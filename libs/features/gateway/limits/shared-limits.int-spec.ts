import { type RateLimit, RedisRateLimiter } from '@fresnel/adapters/rate-limit';
import { createLogger, createRegistry } from '@fresnel/platform';
import { startTestGateway, type TestGateway } from '@fresnel/testing/gateway';
import { eventually, type HttpResponse, sendHttp } from '@fresnel/testing/generic';
import { startTestRedis, type TestRedis } from '@fresnel/testing/servers';

const LIMIT: RateLimit = { points: 400, windowSeconds: 3600 };
const TIMEOUT_MS = 30_000;
const CALL = { jsonrpc: '2.0', id: 1, method: 'nothing' };

describe('gateways that share a Redis', () => {
  let redis: TestRedis;
  let limiters: RedisRateLimiter[];
  let gateways: TestGateway[];
  let sent = 0;
  beforeEach(async () => {
    redis = await startTestRedis();
    limiters = await Promise.all([openLimiter(), openLimiter()]);
    gateways = await Promise.all(limiters.map((limiter) => startTestGateway({ limiter, GATEWAY_TRUSTED_PROXIES: 1 })));
  });
  afterEach(async () => {
    await Promise.all(gateways.map((gateway) => gateway.close()));
    for (const limiter of limiters) limiter.close();
    await redis.drop();
  });

  function openLimiter(): Promise<RedisRateLimiter> {
    const parts = { logger: createLogger('silent'), registry: createRegistry() };
    return RedisRateLimiter.open({ url: redis.url, limit: LIMIT, timeoutMs: TIMEOUT_MS }, parts);
  }

  function sendTo({ url }: TestGateway, body: unknown, client = '203.0.113.7'): Promise<HttpResponse> {
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': client };
    return sendHttp(url, { headers, body: JSON.stringify(body), reusesConnection: true });
  }

  /** Sends to the gateways in turn. */
  function send(body: unknown, client?: string): Promise<HttpResponse> {
    return sendTo(gateways[sent++ % gateways.length], body, client);
  }

  /** Sends requests from concurrent callers. @returns the number of responses by status */
  async function hammer(requests: number, callers: number): Promise<Record<number, number>> {
    const counts: Record<number, number> = {};
    let remaining = requests;
    const caller = async () => {
      while (remaining-- > 0) {
        const { status } = await send(CALL);
        counts[status] = (counts[status] ?? 0) + 1;
      }
    };
    await Promise.all(Array.from({ length: callers }, caller));
    return counts;
  }

  it('grant together exactly the points of a window under load', async () => {
    expect(await hammer(1200, 32)).toEqual({ 200: 400, 429: 800 });
  });

  it('report the same points left', async () => {
    await send(Array(60).fill(CALL));
    const { status, headers } = await send(CALL);
    expect([status, headers['ratelimit-policy']]).toEqual([200, '"default";q=400;w=3600']);
    expect(headers.ratelimit).toMatch(/^"default";r=339;t=\d+$/);
  });

  it('reject a batch that costs more than the points left, and do not count it', async () => {
    for (let batch = 0; batch < 3; batch++) await send(Array(100).fill(CALL));
    await send(Array(60).fill(CALL));
    const rejected = await send(Array(41).fill(CALL));
    expect([rejected.status, JSON.parse(rejected.text)]).toEqual([
      429,
      { jsonrpc: '2.0', id: null, error: { code: -32005, message: 'Too many requests' } },
    ]);
    expect(rejected.headers.ratelimit).toMatch(/^"default";r=40;t=\d+$/);
    expect(Number(rejected.headers['retry-after'])).toBeGreaterThan(0);
    expect((await send(Array(40).fill(CALL))).status).toBe(200);
    expect((await send(CALL)).status).toBe(429);
  });

  it('count each client behind a proxy separately', async () => {
    const remaining = async (client: string) =>
      /r=(\d+)/.exec(String((await send(CALL, client)).headers.ratelimit))?.[1];
    expect([await remaining('203.0.113.1'), await remaining('203.0.113.2')]).toEqual(['399', '399']);
    expect([await remaining('2001:db8::1'), await remaining('2001:db8::2')]).toEqual(['399', '398']);
  });

  it('limit on their own while Redis is unavailable, and together when it is back', async () => {
    const duringStop = hammer(400, 32);
    await redis.stop();
    const [stopping, stopped] = [await duringStop, await hammer(1200, 32)];
    expect(Object.keys({ ...stopping, ...stopped })).toEqual(['200', '429']);
    // One window in Redis, and one in the memory of each gateway.
    expect(stopping[200] + stopped[200]).toBeLessThanOrEqual(3 * LIMIT.points);
    for (const gateway of gateways) expect((await sendTo(gateway, CALL)).status).toBe(429);

    await redis.restart();
    for (const gateway of gateways) {
      await eventually('the gateway counts in Redis', async () => (await sendTo(gateway, CALL)).status !== 429);
    }
    expect(await hammer(800, 32)).toEqual({ 200: 398, 429: 402 });
  });
});
