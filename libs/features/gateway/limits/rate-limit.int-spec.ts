import { type RateLimit, type RateLimiter, RedisRateLimiter } from '@fresnel/adapters/rate-limit';
import { createLogger, createRegistry } from '@fresnel/platform';
import { startTestGateway, type TestGateway } from '@fresnel/testing/gateway';
import { eventually, type HttpResponse, sendHttp } from '@fresnel/testing/generic';
import { sharedRedis } from '@fresnel/testing/servers';

const call = (id: unknown, method = 'nothing', params?: unknown) => ({ jsonrpc: '2.0', id, method, params });
const tooMany = (id: unknown) => ({ jsonrpc: '2.0', id, error: { code: -32005, message: 'Too many requests' } });

const LIMIT: RateLimit = { points: 10, windowSeconds: 3600 };
const BRIEF_LIMIT: RateLimit = { points: 10, windowSeconds: 2 };
/** Far more than an answer of Redis takes on a busy machine: without one, points are counted in memory. */
const TIMEOUT_MS = 30_000;

interface StartedLimiter {
  limiter?: RateLimiter;
  rateLimit?: RateLimit;
  drop: () => Promise<void>;
}

/** Rate limiters that behave alike for callers. */
const LIMITERS: [string, (limit: RateLimit) => Promise<StartedLimiter>][] = [
  ['in memory', (rateLimit) => Promise.resolve({ rateLimit, drop: () => Promise.resolve() })],
  ['in Redis', startRedisLimiter],
];

async function startRedisLimiter(limit: RateLimit): Promise<StartedLimiter> {
  const { url, prefix } = await sharedRedis();
  const parts = { logger: createLogger('silent'), registry: createRegistry() };
  const limiter = await RedisRateLimiter.open({ url, limit, keyPrefix: prefix, timeoutMs: TIMEOUT_MS }, parts);
  const drop = () => {
    limiter.close();
    return Promise.resolve();
  };
  return { limiter, drop };
}

describe.each(LIMITERS)('a gateway with a rate limit %s', (_name, startLimiter) => {
  let gateway: TestGateway;
  let drop: () => Promise<void>;
  const open = async (limit: RateLimit) => {
    const { drop: dropLimiter, ...options } = await startLimiter(limit);
    drop = dropLimiter;
    gateway = await startTestGateway(options);
  };
  const close = async () => {
    await gateway.close();
    await drop();
  };
  beforeEach(() => open(LIMIT));
  afterEach(() => close());

  const send = (body: unknown): Promise<HttpResponse> =>
    sendHttp(gateway.url, { body: typeof body === 'string' ? body : JSON.stringify(body) });
  const remaining = ({ headers }: HttpResponse) => Number(/;r=(\d+);/.exec(String(headers.ratelimit))?.[1]);

  it('reports the points left with every response', async () => {
    const { headers } = await send(call(1));
    expect(headers['ratelimit-policy']).toBe('"default";q=10;w=3600');
    expect(headers.ratelimit).toBe('"default";r=9;t=3600');
    expect(headers).not.toHaveProperty('retry-after');
  });

  it('rejects a caller without points, and echoes its id', async () => {
    await send(Array(10).fill(call(1)));
    const rejected = await send(call('test-account'));
    expect([rejected.status, JSON.parse(rejected.text)]).toEqual([429, tooMany('test-account')]);
    const retryAfter = Number(rejected.headers['retry-after']);
    expect(Number.isInteger(retryAfter) && retryAfter >= 1).toBe(true);
    expect(rejected.headers.ratelimit).toMatch(/^"default";r=0;t=\d+$/);
  });

  it('answers a rejected caller again later', async () => {
    await close();
    await open(BRIEF_LIMIT);
    await eventually('the caller has no points', async () => {
      await send(Array(10).fill(call(1)));
      return (await send(call(1))).status === 429;
    });
    await eventually('it has points again', async () => (await send(call(1))).status === 200);
  });

  it('rejects a batch that costs more than the points left, and does not count it', async () => {
    await send(Array(6).fill(call(1)));
    const rejected = await send(Array(5).fill(call(1)));
    expect([rejected.status, JSON.parse(rejected.text), remaining(rejected)]).toEqual([429, tooMany(null), 4]);
    expect((await send(Array(4).fill(call(1)))).status).toBe(200);
  });

  it.each([
    ['a call', call(1), 1],
    ['an invalid body', '{', 1],
    ['a batch', [call(1), 'garbage', call(2)], 3],
    ['an empty batch', [], 1],
    ['one address', call(1, 'getMultipleNewAddressProofs', ['x']), 2],
    ['three addresses', call(1, 'getMultipleNewAddressProofsV2', Array(3).fill('x')), 3],
    ['a batch with addresses', [call(1), call(2, 'getMultipleNewAddressProofs', Array(6).fill('x'))], 5],
    ['a page', call(1, 'getCompressionSignaturesForOwner', { owner: 'x', limit: 100 }), 2],
    ['two pages', [call(1, 'getCompressedTokenAccountsByOwner', {}), call(2, 'getLatestCompressionSignatures')], 4],
    ['a transaction', call(1, 'getTransactionWithCompressionInfo', { signature: 'x' }), 5],
    ['the OpenRPC document', call(1, 'rpc.discover'), 5],
    ['a body of three KiB', call('x'.repeat(3 * 1024)), 3],
  ])('counts %s', async (_, body, points) => {
    expect(remaining(await send(body))).toBe(10 - points);
  });

  it('takes the points of a large body before it parses it', async () => {
    const rejected = await send(call('x'.repeat(17 * 1024)));
    expect([rejected.status, JSON.parse(rejected.text), remaining(rejected)]).toEqual([429, tooMany(null), 10]);
    expect(rejected.headers).toHaveProperty('retry-after');
    expect(await gateway.registry.metrics()).toContain(
      'fresnel_gateway_calls_total{method="invalid",outcome="-32005"} 1',
    );
  });

  it('does not count other requests', async () => {
    for (const path of ['/openapi.json', '/openrpc.json', '/docs']) {
      const { status, headers } = await sendHttp(gateway.url + path, { method: 'GET', headers: {} });
      expect([status, headers.ratelimit]).toEqual([200, undefined]);
    }
    await sendHttp(gateway.url, { method: 'OPTIONS', headers: {} });
    expect(remaining(await send(call(1)))).toBe(9);
  });

  it('counts rejected calls by method', async () => {
    await send(Array(10).fill(call(1)));
    await send([call(1), call(2, 'getIndexerSlot')]);
    expect(await gateway.registry.metrics()).toContain(
      'fresnel_gateway_calls_total{method="getIndexerSlot",outcome="-32005"} 1',
    );
  });
});

describe('a large body', () => {
  it('costs its points before, and the rest of the work after it is parsed', async () => {
    const gateway = await startTestGateway({ rateLimit: { points: 100, windowSeconds: 60 } });
    const body = JSON.stringify(call(5, 'getMultipleNewAddressProofs', Array(1000).fill('x'.repeat(44))));
    const { status, text, headers } = await sendHttp(gateway.url, { body });
    expect([status, JSON.parse(text)]).toEqual([429, tooMany(5)]);
    expect(headers.ratelimit).toMatch(/;r=55;/);
    const garbage = await sendHttp(gateway.url, { body: '['.repeat(20 * 1024) });
    expect([garbage.status, garbage.headers.ratelimit]).toEqual([200, expect.stringMatching(/;r=35;/)]);
    await gateway.close();
  });
});

describe('a gateway without a limit', () => {
  it('sends no rate limit headers', async () => {
    const gateway = await startTestGateway();
    const { headers } = await sendHttp(gateway.url, { body: JSON.stringify(call(1)) });
    expect(headers).not.toHaveProperty('ratelimit');
    await gateway.close();
  });
});
