import { sleep } from '@fresnel/platform/time';
import { captureLog } from '@fresnel/testing/generic';
import { SolanaRpc } from './solana-rpc';

jest.mock('@fresnel/platform/time', () => ({
  ...jest.requireActual<object>('@fresnel/platform/time'),
  sleep: jest.fn(() => Promise.resolve()),
}));

const OPTIONS = {
  urls: ['http://node.example/?api-key=key'],
  timeoutMs: 1_000,
  backoff: { firstMs: 100, longestMs: 800, isRandom: true },
};

describe('SolanaRpc', () => {
  const slept = jest.mocked(sleep);
  const { logger, lines } = captureLog();
  const rpc = new SolanaRpc(OPTIONS, logger);
  const { signal } = new AbortController();

  /** Calls a node that is busy `times` times, with random number 0.5. @returns the pauses in milliseconds */
  async function pausesWhileBusy(times: number, headers: Record<string, string>): Promise<unknown[]> {
    slept.mockClear();
    lines.length = 0;
    jest.spyOn(Math, 'random').mockReturnValue(0.5);
    jest.spyOn(globalThis, 'fetch').mockImplementation((_, init) => {
      if (times-- > 0) return Promise.resolve(new Response('busy', { status: 429, headers }));
      const { id } = JSON.parse(init?.body as string) as { id: number };
      return Promise.resolve(Response.json({ jsonrpc: '2.0', id, result: 'done' }));
    });
    expect(await rpc.call({ method: 'getSlot', params: [], parse: (result) => result }, signal)).toBe('done');
    return slept.mock.calls.map(([ms]) => ms);
  }

  afterEach(() => jest.restoreAllMocks());

  it('doubles its pauses up to a limit', async () => {
    expect(await pausesWhileBusy(7, {})).toEqual([50, 100, 200, 400, 400, 400, 400]);
  });

  it.each([
    ['seconds', '2', 2_000],
    ['parts of a second', '0.25', 250],
    ['less than the usual pause', '0.01', 50],
    ['nothing', '', 50],
    ['no time', '0', 50],
    ['a negative time', '-5', 50],
    ['the accepted maximum', '60', 60_000],
    ['hours', '7200', 60_000],
    ['for ever', 'Infinity', 1_000],
    ['a date', 'Wed, 21 Oct 2026 07:28:00 GMT', 1_000],
    ['nonsense', 'soon', 1_000],
  ])('pauses as the node requests for %s: Retry-After %j', async (_, retryAfter, ms) => {
    expect(await pausesWhileBusy(1, { 'retry-after': retryAfter })).toEqual([ms]);
  });

  it.each([
    ['no cause', new TypeError('Failed to fetch'), 'Failed to fetch'],
    ['a cause', new TypeError('fetch failed', { cause: new Error('ECONNRESET') }), 'ECONNRESET'],
    [
      'a cause for each address of the host',
      new TypeError('fetch failed', { cause: new AggregateError([new Error('no ::1'), new Error('no 127.0.0.1')]) }),
      'no ::1, no 127.0.0.1',
    ],
  ])('throws the reason of a failed request with %s', async (_, error, reason) => {
    jest.spyOn(globalThis, 'fetch').mockRejectedValue(error);
    await expect(rpc.call({ method: 'getSlot', params: [], parse: String, maxAttempts: 1 }, signal)).rejects.toThrow(
      expect.objectContaining({ code: 'rpc-unavailable', message: `getSlot: ${reason}` }),
    );
  });

  it('warns from the fourth attempt on', async () => {
    await pausesWhileBusy(5, {});
    expect(lines).toEqual(
      ['debug', 'debug', 'debug', 'warn', 'warn'].map((level, at) => ({
        level,
        method: 'getSlot',
        endpoint: 1,
        attempt: at + 1,
        reason: 'HTTP 429',
        msg: 'RPC request failed, retrying',
      })),
    );
  });

  it('asks each endpoint once for a client, also while other calls move on', async () => {
    const asked: string[] = [];
    let failSecond: (error: Error) => void = () => undefined;
    jest.spyOn(globalThis, 'fetch').mockImplementation((url, init) => {
      const name = new URL(url).hostname;
      asked.push(name);
      if (asked.length === 2) return new Promise((_, reject) => (failSecond = reject));
      // The other call ends at the first endpoint.
      const isAnswered = name === 'a' && asked.length > 1;
      if (!isAnswered) return Promise.reject(new TypeError('fetch failed'));
      const { id } = JSON.parse(init?.body as string) as { id: number };
      return Promise.resolve(new Response(JSON.stringify({ id, result: 5 })));
    });
    const several = new SolanaRpc({ ...OPTIONS, urls: ['http://a', 'http://b', 'http://c'] }, logger);
    const call = { method: 'getSlot', params: [], parse: String };
    const rules = { isFinal: () => false, isRead: false };
    const held = several.ask(call, rules, signal);
    while (asked.length < 2) await new Promise(setImmediate);
    expect(await several.ask(call, rules, signal)).toBe('5');
    expect(asked).toEqual(['a', 'b', 'b', 'c', 'a']);
    asked.length = 0;
    failSecond(new TypeError('fetch failed'));
    await expect(held).rejects.toThrow('fetch failed');
    expect(asked).toEqual(['c']);
  });
});
