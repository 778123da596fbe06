import { startTestGateway, type TestGateway } from '@fresnel/testing/gateway';
import { sendHttp } from '@fresnel/testing/generic';
import fc from 'fast-check';
import { type Allowance, type RateLimiter } from '@fresnel/adapters/rate-limit';
import { type TrustedProxies } from './trusted-proxies';

const CALL = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'nothing' });
const HERE = '127.0.0.1';

/** Grants everything and records the clients. */
class RecordingLimiter implements RateLimiter {
  readonly limit = { points: 1, windowSeconds: 1 };
  readonly clients: string[] = [];

  consume(client: string): Promise<Allowance> {
    this.clients.push(client);
    return Promise.resolve({ isGranted: true, remainingPoints: 1, resetSeconds: 1 });
  }

  charge(): Promise<void> {
    return Promise.resolve();
  }
}

describe('the client of a request', () => {
  let limiter: RecordingLimiter;
  let gateway: TestGateway | undefined;
  afterEach(() => gateway?.close());

  async function start(trustedProxies?: TrustedProxies): Promise<void> {
    limiter = new RecordingLimiter();
    gateway = await startTestGateway({
      limiter,
      ...(trustedProxies === undefined ? {} : { GATEWAY_TRUSTED_PROXIES: trustedProxies }),
    });
  }

  async function clientWith(headers: Record<string, string>): Promise<string | undefined> {
    const { status } = await sendHttp(gateway?.url ?? '', {
      headers: { 'content-type': 'application/json', ...headers },
      body: CALL,
    });
    expect(status).toBe(200);
    return limiter.clients.at(-1);
  }

  it.each<[string, TrustedProxies | undefined, string, string]>([
    ['no proxies are configured', undefined, '203.0.113.7', HERE],
    ['the list of trusted proxies is empty', [], '203.0.113.7', HERE],
    ['the peer is not trusted', ['10.0.0.0/8', '::1'], '203.0.113.7', HERE],
    ['an untrusted peer claims to be a trusted proxy', ['10.0.0.1'], '203.0.113.7, 10.0.0.1', HERE],
    ['the peer is trusted', ['127.0.0.1'], '203.0.113.7', '203.0.113.7'],
    ['the network of the peer is trusted', ['127.0.0.0/8'], '203.0.113.7', '203.0.113.7'],
    ['a client sent the header itself', ['127.0.0.1'], '198.51.100.1, 203.0.113.7', '203.0.113.7'],
    ['two proxies are trusted', ['127.0.0.1', '10.0.0.0/8'], '198.51.100.1, 203.0.113.7, 10.1.2.3', '203.0.113.7'],
    ['every hop is trusted', ['127.0.0.1', '10.0.0.0/8'], '10.0.0.1, 10.0.0.2', '10.0.0.1'],
    ['one hop is trusted', 1, '198.51.100.1, 203.0.113.7', '203.0.113.7'],
    ['two hops are trusted', 2, '198.51.100.1, 203.0.113.7, 10.1.2.3', '203.0.113.7'],
    ['more hops are trusted than exist', 5, '203.0.113.7', '203.0.113.7'],
    ['no hop is trusted', 0, '203.0.113.7', HERE],
    ['the client has an IPv6 address', ['127.0.0.1'], '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    [
      'the client has an IPv6 address in brackets with a port',
      ['127.0.0.1'],
      '[2001:db8:1:2::9]:5000',
      '2001:db8:1:2::/64',
    ],
    ['the client has an IPv4-mapped IPv6 address', ['127.0.0.1'], '::ffff:203.0.113.7', '203.0.113.7'],
    ['the client has a port', ['127.0.0.1'], '203.0.113.7:5000', '203.0.113.7'],
    ['a proxy has a port', ['127.0.0.1', '10.0.0.1'], '203.0.113.7, 10.0.0.1:5000', '203.0.113.7'],
    ['the header is empty', ['127.0.0.1'], '', HERE],
    ['the header has only commas', ['127.0.0.1'], ' , ,, ', HERE],
    ['a proxy hides the client', ['127.0.0.1'], 'unknown', HERE],
    ['a proxy sends an invalid address', ['127.0.0.1'], '203.0.113.7, 999.1.1.1', HERE],
    ['the farther hop is not an address', 2, 'garbage, 203.0.113.7', '203.0.113.7'],
  ])('when %s', async (_, trustedProxies, forwarded, client) => {
    await start(trustedProxies);
    expect(await clientWith({ 'x-forwarded-for': forwarded })).toBe(client);
  });

  it('is the peer when only other headers are sent', async () => {
    await start(['127.0.0.1']);
    const headers = { forwarded: 'for=203.0.113.7', 'x-real-ip': '203.0.113.7', 'x-forwarded-host': 'example.org' };
    expect(await clientWith(headers)).toBe(HERE);
  });

  it('is determined for any header', async () => {
    await start(3);
    const part = fc.oneof(
      fc.string({ unit: 'grapheme-ascii' }),
      fc.ipV4(),
      fc.ipV6(),
      fc.constantFrom('', '[', '%', ':'),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 30 }), async (parts) => {
        expect(await clientWith({ 'x-forwarded-for': parts.join(',') })).toMatch(/^([\d.]+|[\da-f:]+::\/64)$/);
      }),
      { numRuns: 200 },
    );
  });
});

it('a gateway does not start with malformed trusted proxies', async () => {
  await expect(startTestGateway({ GATEWAY_TRUSTED_PROXIES: ['10.0.0.0/99'] })).rejects.toThrow('"10.0.0.0/99" is not');
});
