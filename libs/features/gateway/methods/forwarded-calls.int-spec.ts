import { NodeRpc, type NodeRpcOptions } from '@fresnel/adapters/chain';
import { FakeNode, type Fault } from '@fresnel/testing/chain';
import { RpcChecker, startTestGateway, type TestGateway } from '@fresnel/testing/gateway';
import { captureLog, postJson, sendHttp } from '@fresnel/testing/generic';
import { createRpc } from '@lightprotocol/stateless.js';

const KEY = 'secret-api-key';
const MAX_RESPONSE_BYTES = 10_000;
const AWAY = { code: -32603, message: 'The Solana node does not answer' };

interface Answer {
  id: unknown;
  result?: unknown;
  error?: unknown;
}

describe('methods that are forwarded to a node', () => {
  let node: FakeNode;
  let gateway: TestGateway;
  const { logger, lines } = captureLog();
  const outcomes: string[] = [];
  const rpc = new RpcChecker(() => gateway.url);

  const connect = (options: Partial<NodeRpcOptions> = {}) =>
    new NodeRpc(
      {
        urls: [`${node.url}${KEY}`],
        timeoutMs: 5_000,
        maxResponseBytes: MAX_RESPONSE_BYTES,
        concurrency: 4,
        commitment: 'confirmed',
        onAttempt: (outcome) => outcomes.push(outcome),
        ...options,
      },
      logger,
    );
  const always = ['getLatestBlockhash', 'getSlot', 'sendTransaction'];
  const UPSTREAM_RPC_PASSTHROUGH = { always, onPrivateChains: [] };
  const call = (method: string, params?: unknown, id: unknown = 1) => ({ jsonrpc: '2.0', id, method, params });

  beforeAll(async () => {
    node = await FakeNode.start();
    gateway = await startTestGateway({ node: connect(), UPSTREAM_RPC_PASSTHROUGH, logger });
  });
  beforeEach(() => {
    node.heal();
    node.requests.length = 0;
    lines.length = 0;
    outcomes.length = 0;
  });
  afterAll(async () => {
    await gateway.close();
    await node.close();
  });

  it('have the result of the node with all digits, and the id of the request', async () => {
    const result = '{"context":{"slot":18446744073709551615},"value":{"a":1.50,"text":"\\u00e9"}}';
    node.fail({ kind: 'json', text: result }, { method: 'getLatestBlockhash' });
    const params = [{ commitment: 'confirmed', minContextSlot: 9 }];
    const { status, text } = await sendHttp(gateway.url, {
      body: JSON.stringify(call('getLatestBlockhash', params, 'my id')),
    });
    expect([status, text]).toEqual([200, `{"jsonrpc":"2.0","id":"my id","result":${result}}`]);
    expect(node.requests).toMatchObject([{ method: 'getLatestBlockhash', params }]);
    expect(outcomes).toEqual(['ok']);
  });

  it('let the public client library use one URL', async () => {
    const value = { blockhash: KEY, lastValidBlockHeight: 9 };
    node.fail({ kind: 'result', result: { context: { slot: 5 }, value } }, { method: 'getLatestBlockhash' });
    await expect(createRpc(gateway.url).getLatestBlockhash()).resolves.toEqual(value);
  });

  it('have the error of the node with its data, and HTTP status 200', async () => {
    const error = {
      code: -32002,
      message: 'Transaction simulation failed',
      data: { err: 'AccountNotFound', logs: [] },
    };
    node.fail({ kind: 'error', ...error }, { method: 'sendTransaction', times: 2 });
    expect(await rpc.errorOf('sendTransaction', ['AQ=='])).toEqual(error);
    expect(outcomes).toEqual(['error', 'error']);
  });

  it('are sent once to a single node, whatever it answers', async () => {
    node.fail({ kind: 'error', code: -32005, message: 'Node is behind' }, { method: 'sendTransaction' });
    await postJson(gateway.url, call('sendTransaction', ['AQ==']));
    expect(node.requests).toHaveLength(1);
  });

  it.each([
    [400, 400],
    [429, 429],
    [403, 200],
    [500, 200],
  ])('have the error of a response with status %d, and status %d', async (httpStatus, status) => {
    const error = { code: -32010, message: 'not indexed' };
    node.fail({ kind: 'error', ...error, httpStatus }, { method: 'getSlot' });
    expect(await postJson(gateway.url, call('getSlot'))).toMatchObject({ status, body: { error } });
  });

  it.each([
    ['getSlot', 2],
    ['sendTransaction', 1],
  ])('are repeated on another connection if the node has closed it, unless they write: %s', async (method, count) => {
    node.fail({ kind: 'reset' }, { method });
    node.fail({ kind: 'result', result: 5 }, { method });
    const { body } = await postJson(gateway.url, call(method, ['AQ==']));
    expect(body).toMatchObject(count === 2 ? { result: 5 } : { error: AWAY });
    expect(node.requests).toHaveLength(count);
  });

  describe('with two nodes', () => {
    let other: FakeNode;
    let both: TestGateway;
    const methods = [...always, 'requestAirdrop'];
    beforeEach(async () => {
      other = await FakeNode.start();
      both = await startTestGateway({
        node: connect({ urls: [node.url, other.url] }),
        UPSTREAM_RPC_PASSTHROUGH: { always: methods, onPrivateChains: [] },
      });
    });
    afterEach(async () => {
      await both.close();
      await other.close();
    });
    const ask = (method: string) => postJson(both.url, call(method, ['AQ==']));
    const error = (code: number, httpStatus = 200): Fault => ({ kind: 'error', code, httpStatus });

    it.each<[string, Fault]>([
      ['getSlot', error(-32005)],
      ['getSlot', error(-32010)],
      ['getSlot', error(-32602, 429)],
      ['getSlot', { kind: 'status', status: 503 }],
      ['sendTransaction', error(-32005)],
      ['sendTransaction', error(-32000, 429)],
      ['sendTransaction', error(429)],
      ['sendTransaction', error(-32000, 502)],
      ['sendTransaction', { kind: 'cut' }],
    ])('have the answer of the second one: %s after %j', async (method, fault) => {
      node.fail(fault, { method });
      other.fail({ kind: 'result', result: 7 }, { method });
      expect((await ask(method)).body).toMatchObject({ result: 7 });
      expect([node.requests.length, other.requests.length]).toEqual([1, 1]);
    });

    it.each<[string, Fault, object]>([
      ['getSlot', error(-32602), { code: -32602 }],
      ['getSlot', error(-32002), { code: -32002 }],
      ['sendTransaction', error(-32002), { code: -32002 }],
      ['sendTransaction', error(-32003), { code: -32003 }],
      ['requestAirdrop', error(-32005), { code: -32005 }],
      ['requestAirdrop', { kind: 'cut' }, AWAY],
    ])('have the answer of the first one: %s after %j', async (method, fault, expected) => {
      node.fail(fault, { method });
      expect((await ask(method)).body).toMatchObject({ error: expected });
      expect([node.requests.length, other.requests.length]).toEqual([1, 0]);
    });

    it('have the last refusal if both refuse, or one refuses and the other is away', async () => {
      node.fail(error(-32005), { method: 'getSlot' });
      other.fail(error(-32010), { method: 'getSlot' });
      expect((await ask('getSlot')).body).toMatchObject({ error: { code: -32010 } });
      node.fail(error(-32005), { method: 'getSlot' });
      other.fail({ kind: 'status', status: 503 }, { method: 'getSlot' });
      expect((await ask('getSlot')).body).toMatchObject({ error: { code: -32005 } });
    });
  });

  it('can be in a batch with methods of the gateway, in the order of the request', async () => {
    node.tip = 77;
    node.fail({ kind: 'error', code: -32002, message: 'failed' }, { method: 'sendTransaction' });
    const batch = [
      call('getSlot', [], 1),
      call('liveness', [], 2),
      call('sendTransaction', ['AQ=='], 3),
      call('getBlock', [1], 4),
    ];
    const { status, body } = await postJson(gateway.url, batch);
    expect([status, (body as Answer[]).map(({ id, result, error }) => [id, result ?? error])]).toEqual([
      200,
      [
        [1, 77],
        [2, undefined],
        [3, { code: -32002, message: 'failed' }],
        [4, { code: -32601, message: 'Method not found' }],
      ],
    ]);
    expect(node.requests.map(({ method }) => method).sort()).toEqual(['getSlot', 'sendTransaction']);
  });

  it('are only those of the list', async () => {
    for (const method of ['getBlock', 'GetSlot', 'toString', '__proto__']) {
      expect(await rpc.errorOf(method, [])).toEqual({ code: -32601, message: 'Method not found' });
    }
    expect(node.requests).toEqual([]);
  });

  it.each([
    [
      'integers that would be rounded',
      '[{"lamports":9007199254740993}]',
      'integers must be between -(2^53-1) and 2^53-1',
    ],
    ['numbers that would become null', '[1e999]', 'integers must be between -(2^53-1) and 2^53-1'],
    ['params of any depth', `${'['.repeat(20_000)}${']'.repeat(20_000)}`, 'params are nested too deeply'],
  ])('do not have %s', async (_, params, reason) => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"getSlot","params":${params}}`;
    const { text } = await sendHttp(gateway.url, { body });
    expect(JSON.parse(text)).toMatchObject({ error: { code: -32602, message: `Invalid params: ${reason}` } });
    expect(node.requests).toEqual([]);
  });

  it('cost points of the limiter, and count as calls of their own name', async () => {
    const limited = await startTestGateway({
      node: connect(),
      UPSTREAM_RPC_PASSTHROUGH,
      rateLimit: { points: 3, windowSeconds: 600 },
    });
    const statuses = [];
    for (const method of ['getSlot', 'getSlot']) statuses.push((await postJson(limited.url, call(method))).status);
    expect(statuses).toEqual([200, 429]);
    const metrics = await limited.registry.metrics();
    expect(metrics).toContain('fresnel_gateway_calls_total{method="getSlot",outcome="ok"} 1');
    await limited.close();
    expect(node.requests).toHaveLength(1);
  });

  it.each([
    ['4sGjMW1sUnHzSxGspuhpqLDx6wiyjNtZAMdL4VZHirAn', true],
    ['5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d', false],
    ['EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG', false],
    ['4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY', false],
  ])('of private chains are not those of a public cluster: genesis %s', async (genesisHash, isForwarded) => {
    node.genesisHash = genesisHash;
    const gatewayOfChain = await startTestGateway({
      node: connect(),
      UPSTREAM_RPC_PASSTHROUGH: { always: [], onPrivateChains: ['requestAirdrop'] },
    });
    node.fail({ kind: 'result', result: 'a signature' }, { method: 'requestAirdrop', times: 2 });
    for (const id of [1, 2]) {
      const { status, body } = await postJson(gatewayOfChain.url, call('requestAirdrop', ['key', 1], id));
      const answer = isForwarded ? { result: 'a signature' } : { error: { code: -32601, message: 'Method not found' } };
      expect([status, body]).toEqual([200, { jsonrpc: '2.0', id, ...answer }]);
    }
    expect([node.requestsOf('getGenesisHash').length, node.requestsOf('requestAirdrop').length]).toEqual([
      1,
      isForwarded ? 2 : 0,
    ]);
    await gatewayOfChain.close();
  });

  it('do not exist without a node', async () => {
    const without = await startTestGateway({ UPSTREAM_RPC_PASSTHROUGH });
    expect((await postJson(without.url, call('getSlot'))).body).toMatchObject({ error: { code: -32601 } });
    await without.close();
  });

  describe('are refused with an error that says so', () => {
    const internal = (error: object) => ({ status: 500, body: { jsonrpc: '2.0', id: 1, error } });

    it.each([
      ['an HTTP error', { kind: 'status', status: 503 } as const],
      ['the rate limit of the node', { kind: 'status', status: 429, retryAfter: '60' } as const],
      ['a page of a proxy', { kind: 'body', text: `<html>${KEY}</html>` } as const],
      ['the answer to another request', { kind: 'body', text: '{"jsonrpc":"2.0","id":-1,"result":1}' } as const],
      ['a result that is not JSON', { kind: 'json', text: '{"a":tru}' } as const],
      ['an error without a code', { kind: 'body', text: '{"jsonrpc":"2.0","id":1,"error":"no"}' } as const],
    ])('after %s', async (_, fault) => {
      node.fail(fault, { method: 'getSlot' });
      expect(await postJson(gateway.url, call('getSlot'))).toEqual(internal(AWAY));
      expect([outcomes, node.requests.length]).toEqual([['unavailable'], 1]);
      expect(lines.filter(({ level }) => level === 'error')).toMatchObject([{ msg: 'call failed', method: 'getSlot' }]);
    });

    it('after half an answer, twice', async () => {
      node.fail({ kind: 'cut' }, { method: 'getSlot', times: 2 });
      expect(await postJson(gateway.url, call('getSlot'))).toEqual(internal(AWAY));
      expect(outcomes).toEqual(['unavailable', 'unavailable']);
    });

    it('while the node is silent, at the deadline', async () => {
      const impatient = await startTestGateway({ node: connect({ timeoutMs: 200 }), UPSTREAM_RPC_PASSTHROUGH, logger });
      node.fail({ kind: 'silence' }, { method: 'getSlot' });
      expect(await postJson(impatient.url, call('getSlot'))).toEqual(internal(AWAY));
      await impatient.close();
    });

    it('while the node is away', async () => {
      const alone = await startTestGateway({
        node: connect({ urls: [`http://127.0.0.1:1/${KEY}`] }),
        UPSTREAM_RPC_PASSTHROUGH,
        logger,
      });
      expect(await postJson(alone.url, call('getSlot'))).toEqual(internal(AWAY));
      await alone.close();
    });

    it('if the answer is too large, also before it is decompressed', async () => {
      const large = JSON.stringify({ jsonrpc: '2.0', id: 1, result: 'x'.repeat(MAX_RESPONSE_BYTES) });
      const message = `The answer of the Solana node is larger than ${MAX_RESPONSE_BYTES} bytes`;
      for (const kind of ['body', 'gzip'] as const) {
        node.fail({ kind, text: large }, { method: 'getSlot' });
        const { status, body } = await postJson(gateway.url, call('getSlot'));
        expect([status, (body as Answer).error]).toEqual([200, { code: -32000, message }]);
      }
    });
  });

  it('are asked of the next endpoint if the first is away', async () => {
    node.tip = 5;
    const both = await startTestGateway({
      node: connect({ urls: ['http://127.0.0.1:1/', node.url] }),
      UPSTREAM_RPC_PASSTHROUGH,
    });
    expect((await postJson(both.url, call('getSlot'))).body).toMatchObject({ result: 5 });
    await both.close();
  });

  it('wait for their turn while as many as allowed are in progress', async () => {
    let release = () => {};
    const until = new Promise<void>((done) => (release = done));
    const single = await startTestGateway({ node: connect({ concurrency: 1 }), UPSTREAM_RPC_PASSTHROUGH });
    node.fail({ kind: 'late', until }, { method: 'getSlot' });
    const first = postJson(single.url, call('getSlot'));
    await node.waitForRequest('getSlot');
    const second = postJson(single.url, call('sendTransaction', ['AQ==']));
    await postJson(single.url, call('liveness'));
    expect(node.requests).toHaveLength(1);
    release();
    await Promise.all([first, second]);
    expect(node.requests.map(({ method }) => method)).toEqual(['getSlot', 'sendTransaction']);
    await single.close();
  });

  it('reveal nothing of the URL of the node', async () => {
    const { host } = new URL(node.url);
    const message = `see ${node.url}${KEY}`;
    node.fail({ kind: 'error', code: -32000, message, data: { url: message } }, { method: 'getSlot' });
    const { text } = await sendHttp(gateway.url, { body: JSON.stringify(call('getSlot')) });
    for (const secret of [KEY, host]) expect(text).not.toContain(secret);
    expect(JSON.parse(text)).toMatchObject({ error: { code: -32000, message: 'see http://[node]/[redacted]' } });
    node.fail({ kind: 'status', status: 401 }, { method: 'getSlot' });
    await postJson(gateway.url, call('getSlot'));
    expect(JSON.stringify(lines)).not.toContain(KEY);
  });
});
