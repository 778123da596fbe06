import { setTimeout as sleep } from 'node:timers/promises';
import { MalformedTextError } from '@fresnel/domain/primitives';
import { createTestRpc } from '@fresnel/testing/block-sources';
import { FakeNode, type Fault } from '@fresnel/testing/chain';
import { captureLog, type LogLine } from '@fresnel/testing/generic';
import { RpcAnswerError } from './rpc-answer';
import { type RpcCall, SolanaRpc } from './solana-rpc';

const KEY = 'very-secret-key';
const BACKOFF = { firstMs: 1, longestMs: 4 };
const TIMEOUT_MS = 5_000;

const getSlot: RpcCall<unknown> = { method: 'getSlot', params: [], parse: (result) => result };

const PASSING: [string, Fault][] = [
  ['429', { kind: 'status', status: 429 }],
  ['429 with Retry-After', { kind: 'status', status: 429, retryAfter: '0.01' }],
  ['500', { kind: 'status', status: 500 }],
  ['502', { kind: 'status', status: 502 }],
  ['503', { kind: 'status', status: 503 }],
  ['503 with Retry-After', { kind: 'status', status: 503, retryAfter: '0.01' }],
  ['a connection closed in the middle of the body', { kind: 'cut' }],
  ['a response that is not JSON', { kind: 'body', text: '<html>Bad gateway</html>' }],
  ['an empty response', { kind: 'body', text: '' }],
  ['a response that is not an object', { kind: 'body', text: 'null' }],
  ['the response to another request', { kind: 'body', text: '{"jsonrpc":"2.0","id":987654,"result":1}' }],
  ['a response without an id', { kind: 'body', text: '{"jsonrpc":"2.0","result":1}' }],
  ['an error that is only a string', { kind: 'body', text: '{"jsonrpc":"2.0","id":1,"error":"busy"}' }],
  ['a status with a JSON-RPC error', { kind: 'error', httpStatus: 429, code: -32005 }],
  ['an error without a code', { kind: 'body', text: '{"jsonrpc":"2.0","id":1,"error":{"message":"busy"}}' }],
  ['"node is behind"', { kind: 'error', code: -32005 }],
  ['"block is not available yet"', { kind: 'error', code: -32004 }],
];

describe('SolanaRpc', () => {
  let node: FakeNode;
  let stop: AbortController;
  let lines: LogLine[];
  let rpc: SolanaRpc;

  function connect(url = node.url, timeoutMs = TIMEOUT_MS): SolanaRpc {
    const log = captureLog();
    lines = log.lines;
    return new SolanaRpc({ urls: [url], timeoutMs, backoff: BACKOFF }, log.logger);
  }

  beforeEach(async () => {
    node = await FakeNode.start();
    node.tip = 1234;
    stop = new AbortController();
    rpc = connect();
  });
  afterEach(() => node.close());

  it('returns the result', async () => {
    expect(await rpc.call({ ...getSlot, params: [{ commitment: 'confirmed' }] }, stop.signal)).toBe(1234);
    expect(node.requests).toMatchObject([{ id: 1, method: 'getSlot', params: [{ commitment: 'confirmed' }] }]);
  });

  it.each(PASSING)('retries after %s', async (_, fault) => {
    node.fail(fault, { times: 3 });
    expect(await rpc.call(getSlot, stop.signal)).toBe(1234);
    expect(node.requests.map(({ id }) => id)).toEqual([1, 2, 3, 4]);
  });

  it('reads no more of a response than the limit, also after decompression, and retries', async () => {
    const maxResponseBytes = 1024 * 1024;
    const log = captureLog();
    const limited = new SolanaRpc(
      { urls: [node.url], timeoutMs: 60_000, backoff: BACKOFF, maxResponseBytes },
      log.logger,
    );
    node.fail({ kind: 'body', text: `"${'x'.repeat(2 * maxResponseBytes)}"` });
    node.fail({ kind: 'gzip', text: `"${'x'.repeat(8 * maxResponseBytes)}"` });
    node.fail({ kind: 'gzip', text: `"${'x'.repeat(maxResponseBytes - 2)}"` });
    expect(await limited.call(getSlot, stop.signal)).toBe(1234);
    expect(log.lines.map(({ reason }) => reason)).toEqual([
      'the response is larger than 1048576 bytes',
      'the response is larger than 1048576 bytes',
      'the response is not an object',
    ]);
  });

  it('retries when the caller cannot parse the result', async () => {
    let answers = 0;
    const parse = (result: unknown) => {
      if (++answers < 3) throw new MalformedTextError('not a slot');
      return result;
    };
    expect(await rpc.call({ ...getSlot, parse }, stop.signal)).toBe(1234);
    expect(lines.map(({ reason }) => reason)).toEqual(['not a slot', 'not a slot']);
  });

  it('retries after a timeout', async () => {
    node.fail({ kind: 'silence' });
    expect(await connect(node.url, 200).call(getSlot, stop.signal)).toBe(1234);
    expect(lines[0]).toMatchObject({ attempt: 1, reason: 'no response within 200 ms' });
  });

  it('accepts a slow response before the timeout', async () => {
    node.fail({ kind: 'late', until: sleep(50) });
    expect(await rpc.call(getSlot, stop.signal)).toBe(1234);
    expect(lines).toEqual([]);
  });

  it.each([
    ['alone', { kind: 'status', status: 429, retryAfter: '0.2' }],
    ['beside a JSON-RPC error', { kind: 'error', code: -32005, httpStatus: 429, retryAfter: '0.2' }],
  ] satisfies [string, Fault][])('pauses as long as the node requests %s', async (_, fault) => {
    node.fail(fault);
    await rpc.call(getSlot, stop.signal);
    const [first, second] = node.requests;
    expect(second.at - first.at).toBeGreaterThan(180);
  });

  it('succeeds after a node was down', async () => {
    const { url } = node;
    await node.close();
    const calling = connect(url).call({ ...getSlot, maxAttempts: 3 }, stop.signal);
    await expect(calling).rejects.toThrow('ECONNREFUSED');
    node = await FakeNode.start();
    expect(await connect().call(getSlot, stop.signal)).toBe(0);
  });

  it.each([
    ['a method that the node lacks', { ...getSlot, method: 'getWeather' }, -32601, 'Method not found (-32601)', 2],
    ['wrong parameters', { ...getSlot, method: 'getBlock' }, -32602, 'slot is missing (-32602)', 2],
    ['a wrong request', getSlot, -32600, 'slot is missing (-32600)', 2],
    ['a final code of the caller', { ...getSlot, finalCodes: [[-32007]] }, -32007, 'slot is missing (-32007)', 1],
  ])('throws what its only endpoint refuses: %s', async (_, call, code, message, count) => {
    if (code !== -32601) node.fail({ kind: 'error', code, message: 'slot is missing' }, { times: 2 });
    const error: unknown = await rpc.call(call, stop.signal).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RpcAnswerError);
    expect(error).toMatchObject({ code: 'rpc-answer', isRetryable: false, rpcCode: code, message });
    expect(node.requests).toHaveLength(count);
  });

  it.each([
    ['HTTP status', { kind: 'error', code: -32007, httpStatus: 429 }],
    ['message', { kind: 'error', code: -32007, message: '50/second request limit reached' }],
    ['code', { kind: 'error', code: 429, message: 'Connection rate limits exceeded' }],
  ] satisfies [string, Fault][])('retries after a rate limit, told by its %s, whatever the code', async (_, fault) => {
    node.fail(fault, { times: 3 });
    const call = { ...getSlot, finalCodes: [[-32007, 429]] };
    expect(await rpc.call(call, stop.signal)).toBe(1234);
    node.fail(fault, { times: 3 });
    await expect(rpc.call({ ...call, maxAttempts: 3 }, stop.signal)).rejects.toMatchObject({
      code: 'rpc-unavailable',
      cause: { name: 'Error' },
    });
  });

  it.each([301, 302, 307, 308])('follows the redirect %d with the same request', async (status) => {
    const target = await FakeNode.start();
    target.tip = 4321;
    const location = target.url.replace('127.0.0.1', 'localhost');
    node.fail({ kind: 'status', status, location });
    const url = node.url.replace('//', '//user:password@');
    expect(await connect(url).call({ ...getSlot, maxAttempts: 1 }, stop.signal)).toBe(4321);
    expect(node.requests[0].headers.authorization).toBeDefined();
    expect(target.requests).toMatchObject([{ id: 1, method: 'getSlot' }]);
    expect(target.requests[0].headers.authorization).toBeUndefined();
    await target.close();
  });

  it('follows no endless redirects', async () => {
    node.fail({ kind: 'status', status: 301, location: '/' }, { times: 9 });
    await expect(rpc.call({ ...getSlot, maxAttempts: 1 }, stop.signal)).rejects.toThrow('HTTP 301');
    expect(node.requests).toHaveLength(4);
  });

  describe('with two endpoints', () => {
    let other: FakeNode;
    let pair: SolanaRpc;
    const final = { ...getSlot, finalCodes: [[-32007, -32009], [-32015]] };
    beforeEach(async () => {
      other = await FakeNode.start();
      other.tip = 4321;
      pair = createTestRpc(node, other).rpc;
    });
    afterEach(() => other.close());

    it.each([-32007, -32601, -32602])('asks the second one when the first refuses with %d', async (code) => {
      node.fail({ kind: 'error', code });
      expect(await pair.call(final, stop.signal)).toBe(4321);
    });

    it.each([
      [-32007, -32009],
      [-32009, -32007],
    ])('throws the first code of a group once both have given one: %d and %d', async (one, two) => {
      node.fail({ kind: 'error', code: one });
      other.fail({ kind: 'error', code: two });
      await expect(pair.call(final, stop.signal)).rejects.toMatchObject({ rpcCode: -32007 });
      expect([node.requests.length, other.requests.length]).toEqual([1, 1]);
    });

    it('waits less for the first answer of each, and then as long as allowed', async () => {
      const options = { urls: [node.url, other.url], timeoutMs: 60_000, firstTimeoutMs: 200, backoff: BACKOFF };
      for (const each of [node, other]) each.fail({ kind: 'silence' });
      node.fail({ kind: 'late', until: sleep(1_000) });
      expect(await new SolanaRpc(options, captureLog().logger).call(getSlot, stop.signal)).toBe(1234);
      expect([node.requests.length, other.requests.length]).toEqual([2, 1]);
    });

    it('throws no code of a group while the other one gives a code of another group', async () => {
      node.fail({ kind: 'error', code: -32007 });
      other.fail({ kind: 'error', code: -32015 });
      expect(await pair.call(final, stop.signal)).toBe(1234);
    });

    it('returns to the first one when the second refuses, and the first has failed only once', async () => {
      node.fail({ kind: 'status', status: 503 });
      other.fail({ kind: 'error', code: -32007 }, { times: 9 });
      expect(await pair.call(final, stop.signal)).toBe(1234);
    });

    it('does not believe the one that answers while the other one is away', async () => {
      node.fail({ kind: 'status', status: 503 }, { times: Infinity });
      other.fail({ kind: 'error', code: -32007 }, { times: Infinity });
      const calling = pair.call({ ...final, retryForMs: 2_000 }, stop.signal);
      await expect(calling).rejects.toMatchObject({ code: 'rpc-unavailable', cause: { rpcCode: -32007 } });
      expect(node.requests.length).toBeGreaterThan(2);
    });
  });

  it.each([
    ['after a byte order mark', '\ufeff{"jsonrpc":"2.0","result":5,"id":1}'],
    ['beside an error that is null', '{"jsonrpc":"2.0","result":5,"error":null,"id":1}'],
    ['beside such an error before it', '{"jsonrpc":"2.0","error":null,"result":5,"id":1}'],
  ])('reads a result %s', async (_, text) => {
    node.fail({ kind: 'body', text });
    expect(await rpc.call(getSlot, stop.signal)).toBe(5);
  });

  it.each([
    ['an HTTP status', { kind: 'error', httpStatus: 400, code: -32602 }, 400],
    ['HTTP status 200', { kind: 'error', code: -32602 }, 200],
  ] satisfies [string, Fault, number][])('throws the error in a response with %s', async (_, fault, httpStatus) => {
    node.fail(fault, { times: 2 });
    await expect(rpc.call(getSlot, stop.signal)).rejects.toMatchObject({ rpcCode: -32602, httpStatus });
  });

  it.each([
    ['an HTTP status', { kind: 'status', status: 403 }, 'HTTP 403'],
    ['an error of the node', { kind: 'error', code: -32010, message: 'not indexed' }, 'not indexed (-32010)'],
    ['an error without a message', { kind: 'body', text: '{"error":{"code":-32010}}' }, 'no message (-32010)'],
    ['a response that is not JSON', { kind: 'body', text: '<html>' }, 'the response is not JSON'],
  ] satisfies [string, Fault, string][])(
    'throws after the maximum number of attempts: %s',
    async (_, fault, message) => {
      node.fail(fault, { times: 9 });
      await expect(rpc.call({ ...getSlot, maxAttempts: 3 }, stop.signal)).rejects.toThrow(message);
      expect(node.requests).toHaveLength(3);
    },
  );

  it('throws when its time for retries is over', async () => {
    node.fail({ kind: 'status', status: 503 }, { times: Infinity });
    const calling = rpc.call({ ...getSlot, retryForMs: 2_000 }, stop.signal);
    await expect(calling).rejects.toMatchObject({ code: 'rpc-unavailable', message: 'getSlot: HTTP 503' });
    expect(node.requests.length).toBeGreaterThan(2);
  });

  it('retries on its next endpoint, and stays there until that one fails', async () => {
    const other = await FakeNode.start();
    other.tip = 4321;
    const pair = createTestRpc(node, other).rpc;
    node.fail({ kind: 'status', status: 503 });
    const ask = () => pair.call(getSlot, stop.signal);
    expect([await ask(), await ask(), node.requests.length]).toEqual([4321, 4321, 1]);
    other.fail({ kind: 'error', code: -32016 });
    expect([await ask(), node.requests.length, other.requests.length]).toEqual([1234, 2, 3]);
    await other.close();
  });

  it('sends no request if the signal is aborted', async () => {
    stop.abort(new Error('enough'));
    await expect(rpc.call(getSlot, stop.signal)).rejects.toThrow('enough');
    expect(node.requests).toEqual([]);
  });

  it.each([
    ['while it waits for a response', { kind: 'silence' }],
    ['while it pauses', { kind: 'status', status: 429, retryAfter: '60' }],
  ] satisfies [string, Fault][])('stops %s', async (_, fault) => {
    node.fail(fault, { times: 9 });
    const calling = rpc.call(getSlot, stop.signal);
    await node.waitForRequest('getSlot');
    stop.abort(new Error('enough'));
    await expect(calling).rejects.toThrow('enough');
    expect(node.requests).toHaveLength(1);
  });

  it('sends the credentials of the URL in a header', async () => {
    const url = node.url.replace('//', '//user%40home:pass%20word@');
    expect(await connect(url).call({ ...getSlot, maxAttempts: 1 }, stop.signal)).toBe(1234);
    const expected = `Basic ${Buffer.from('user@home:pass word').toString('base64')}`;
    expect(node.requests[0].headers.authorization).toBe(expected);
  });

  it('sends no such header without credentials', async () => {
    await rpc.call(getSlot, stop.signal);
    expect(node.requests[0].headers.authorization).toBeUndefined();
  });

  const withKey: [string, (url: string) => string][] = [
    ['query', (url) => `${url}?api-key=${KEY}`],
    ['path', (url) => `${url}v2/${KEY}`],
    ['password', (url) => url.replace('//', `//user:${KEY}@`)],
  ];
  const everyFault = [...PASSING, ['silence', { kind: 'silence' }], ['a node that is down', null]] as const;
  const cases = withKey.flatMap(([place, edit]) => everyFault.map(([what, fault]) => ({ place, edit, what, fault })));
  it.each(cases)('does not leak the key in the $place of the URL, with $what', async ({ edit, fault }) => {
    const { url } = node;
    if (fault) node.fail(fault, { times: 99 });
    else await node.close();
    const calling = connect(edit(url), fault?.kind === 'silence' ? 20 : TIMEOUT_MS);
    const error: unknown = await calling
      .call({ ...getSlot, maxAttempts: 5 }, stop.signal)
      .catch((thrown: unknown) => thrown);
    if (!fault) node = await FakeNode.start();
    expect(lines).toHaveLength(4);
    expect(error).toMatchObject({ message: expect.stringMatching(/./) });
    const { message, stack, cause } = error as Error;
    expect(JSON.stringify([message, stack, cause, lines])).not.toContain(KEY);
  });
});
