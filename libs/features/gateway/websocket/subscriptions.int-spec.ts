import { once } from 'node:events';
import { NodeSockets } from '@fresnel/adapters/chain';
import { FakeSubscriptions } from '@fresnel/testing/chain';
import { startTestGateway, type TestGateway } from '@fresnel/testing/gateway';
import { captureLog, sendHttp, until } from '@fresnel/testing/generic';
import WebSocket, { type ClientOptions } from 'ws';
import { parseForwardedMethods } from '../methods/forwarded-methods';

const FORWARDING = { UPSTREAM_RPC_PASSTHROUGH: parseForwardedMethods('getSlot') };

/** A client that keeps what it receives. */
class Client {
  readonly messages: unknown[] = [];
  readonly texts: string[] = [];
  closed: { code: number; reason: string } | null = null;

  private constructor(readonly socket: WebSocket) {
    socket.on('error', () => undefined);
    socket.on('message', (data: Buffer) => {
      this.texts.push(data.toString());
      this.messages.push(JSON.parse(data.toString()));
    });
    socket.on('close', (code, reason) => (this.closed = { code, reason: reason.toString() }));
  }

  static async open(url: string, options: ClientOptions = {}): Promise<Client> {
    const client = new Client(new WebSocket(url, options));
    await once(client.socket, 'open');
    return client;
  }

  /** The status of the answer to a refused upgrade. */
  static async refusal(url: string, options: ClientOptions = {}): Promise<number | undefined> {
    const socket = new WebSocket(url, options);
    socket.on('error', () => undefined);
    const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode?: number }];
    socket.terminate();
    return response.statusCode;
  }

  send(frame: unknown): void {
    this.socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  call(method: string, params: unknown = [], id: unknown = 1): void {
    this.send({ jsonrpc: '2.0', id, method, params });
  }

  async received(count: number): Promise<unknown[]> {
    await until(() => this.messages.length >= count);
    return this.messages;
  }

  async end(): Promise<Client['closed']> {
    await until(() => this.closed !== null);
    return this.closed;
  }
}

describe('subscriptions of a Solana node', () => {
  let node: FakeSubscriptions;
  const { logger } = captureLog();
  const gateways: TestGateway[] = [];
  const clients: Client[] = [];
  beforeEach(async () => {
    node = await FakeSubscriptions.start();
  });
  afterEach(async () => {
    for (const { socket } of clients.splice(0)) socket.terminate();
    for (const gateway of gateways.splice(0)) await gateway.close();
    await node.close();
  });

  async function start(options: Parameters<typeof startTestGateway>[0] = {}, urls = [node.url]): Promise<string> {
    const nodeSockets = new NodeSockets({ urls, timeoutMs: 5_000, maxMessageBytes: 4 * 1024 * 1024 }, logger);
    const gateway = await startTestGateway({ nodeSockets, ...options });
    gateways.push(gateway);
    return `ws://127.0.0.1:${gateway.port}/`;
  }

  async function connect(url: string, options?: ClientOptions): Promise<Client> {
    const client = await Client.open(url, options);
    clients.push(client);
    return client;
  }

  it.each([
    ['signature', ['sig', { commitment: 'confirmed' }]],
    ['account', ['key', { encoding: 'base64' }]],
    ['program', ['key', { filters: [{ dataSize: 165 }] }]],
    ['logs', ['all']],
    ['slot', []],
  ])('are forwarded: %s', async (subject, params) => {
    const client = await connect(await start());
    client.call(`${subject}Subscribe`, params, 'my id');
    const call = await node.waitForCall(`${subject}Subscribe`);
    expect(call.params).toEqual(params);
    node.notify(call, { slot: 1 });
    client.call(`${subject}Unsubscribe`, [call.subscription], 7);
    expect(await client.received(3)).toEqual([
      { jsonrpc: '2.0', id: 'my id', result: call.subscription },
      expect.objectContaining({ method: `${subject}Notification` }),
      { jsonrpc: '2.0', id: 7, result: true },
    ]);
  });

  it('have notifications with all digits, also long ones', async () => {
    const client = await connect(await start());
    client.call('accountSubscribe', ['key']);
    const { socket, subscription } = await node.waitForCall('accountSubscribe');
    const text = `{"jsonrpc":"2.0","method":"accountNotification","params":{"result":{"lamports":18446744073709551615,"data":"${'x'.repeat(100_000)}"},"subscription":${subscription}}}`;
    socket.send(text);
    await client.received(2);
    expect(client.texts[1]).toBe(text);
  });

  it('are each of their own client', async () => {
    const url = await start();
    const [one, other] = [await connect(url), await connect(url)];
    one.call('slotSubscribe', [], 1);
    const call = await node.waitForCall('slotSubscribe');
    other.call('slotSubscribe', [], 1);
    await node.waitForCall('slotSubscribe', 2);
    await other.received(1);
    node.notify(call, { slot: 9 });
    await one.received(2);
    expect(other.messages).toHaveLength(1);
    one.socket.close();
    await until(() => node.sockets.length === 1);
  });

  it('have the error of the node', async () => {
    const client = await connect(await start());
    node.answer = { error: { code: -32602, message: 'Invalid Request: Invalid pubkey provided' } };
    client.call('accountSubscribe', ['x'], 3);
    expect(await client.received(1)).toEqual([{ jsonrpc: '2.0', id: 3, ...node.answer }]);
  });

  it('are the only methods, and other frames are answered or end the connection', async () => {
    const url = await start();
    const client = await connect(url);
    client.send({ jsonrpc: '2.0', method: 'ping' });
    for (const method of ['rootSubscribe', 'getSlot', 'otherSubscribe', '__proto__']) client.call(method);
    client.send({ jsonrpc: '1.0', id: 5, method: 'slotSubscribe' });
    client.send({ jsonrpc: '2.0', id: [1], method: 'slotSubscribe' });
    client.send({ jsonrpc: '2.0', method: 'slotSubscribe' });
    client.send({ text: 'a notification has a method' });
    client.call('accountSubscribe', [{ lamports: 2 ** 60 }], 6);
    const notFound = { error: { code: -32601, message: 'Method not found' } };
    expect(await client.received(9)).toMatchObject([
      ...Array(4).fill(notFound),
      { id: 5, error: { code: -32600, message: 'Invalid Request: jsonrpc must be "2.0"' } },
      { id: null, error: { code: -32600, message: 'Invalid Request: id must be a string, an integer or null' } },
      ...Array(2).fill({ id: null, error: { code: -32600, message: 'Invalid Request: id is required' } }),
      { id: 6, error: { code: -32602 } },
    ]);
    expect(node.calls).toEqual([]);
    for (const frame of ['', '{', '[]', '7', Buffer.of(1)]) {
      const other = await connect(url);
      other.socket.send(frame);
      expect(await other.end()).toMatchObject({ code: 1008 });
    }
    client.send({ text: 'x'.repeat(64 * 1024) });
    expect(await client.end()).toMatchObject({ code: 1009 });
  });

  it('use the next endpoint if the first is away, and answer an error if none is there', async () => {
    const client = await connect(await start({}, ['ws://127.0.0.1:1/', node.url]));
    client.call('slotSubscribe');
    await node.waitForCall('slotSubscribe');
    const without = await connect(await start({}, ['ws://127.0.0.1:1/']));
    for (const id of [1, 2]) without.call('slotSubscribe', [], id);
    expect(await without.received(2)).toMatchObject([
      { id: 1, error: { code: -32603, message: 'The Solana node does not answer' } },
      { id: 2, error: { code: -32603 } },
    ]);
    expect(without.closed).toBeNull();
  });

  it('end with the connection of the node, and clients come back', async () => {
    const url = await start();
    const client = await connect(url);
    client.call('slotSubscribe');
    const { socket } = await node.waitForCall('slotSubscribe');
    socket.terminate();
    expect(await client.end()).toEqual({ code: 1013, reason: '' });
    (await connect(url)).call('slotSubscribe');
    await node.waitForCall('slotSubscribe', 2);
  });

  it('end when the gateway drains, and others are refused', async () => {
    const url = await start();
    const client = await connect(url);
    client.call('slotSubscribe');
    await client.received(1);
    gateways[0].checks.startDraining();
    expect(await client.end()).toMatchObject({ code: 1012 });
    await until(() => node.sockets.length === 0);
    expect(await Client.refusal(url)).toBe(503);
  });

  it('end when the gateway closes, also of a client that does not answer', async () => {
    const url = await start({ ...FORWARDING, GATEWAY_WS_PORT: undefined });
    const port = gateways[0].port + 1;
    const [client, silent] = [await connect(url), await connect(`ws://127.0.0.1:${port}/`)];
    silent.socket.pause();
    await gateways.splice(0)[0].close();
    expect(await client.end()).toMatchObject({ code: 1012 });
    await expect(Client.open(`ws://127.0.0.1:${port}/`)).rejects.toThrow('ECONNREFUSED');
  });

  it('are bounded for each connection, and those that have ended do not count', async () => {
    const client = await connect(await start({ GATEWAY_MAX_SUBSCRIPTIONS: 2 }));
    for (const id of [1, 2, 3]) client.call('signatureSubscribe', ['sig'], id);
    expect(await client.received(3)).toMatchObject([
      { id: 3, error: { code: -32005, message: 'Too many subscriptions' } },
      { id: 1 },
      { id: 2 },
    ]);
    node.notify(await node.waitForCall('signatureSubscribe'), { context: {}, value: 'receivedSignature' });
    client.call('signatureSubscribe', ['sig'], 4);
    expect((await client.received(5)).at(-1)).toMatchObject({ id: 4, error: { code: -32005 } });
    node.notify(node.calls[0], { context: { slot: 5 }, value: { err: null } });
    await client.received(6);
    client.call('signatureSubscribe', ['sig'], 5);
    expect((await client.received(7)).at(-1)).toMatchObject({ id: 5, result: expect.any(Number) as number });
    client.call('signatureUnsubscribe', [node.calls[1].subscription], 6);
    await client.received(8);
    client.call('slotSubscribe', [], 7);
    expect((await client.received(9)).at(-1)).toMatchObject({ id: 7, result: expect.any(Number) as number });
    expect(await gateways[0].registry.metrics()).toContain('\nfresnel_gateway_subscriptions 2\n');
  });

  it('are bounded for all connections, and for those of a client', async () => {
    const limit = { points: 1_000, windowSeconds: 3600 };
    const url = await start({ GATEWAY_MAX_WEBSOCKETS: 8, rateLimit: limit, GATEWAY_TRUSTED_PROXIES: 1 });
    const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
    for (const address of ['192.0.2.1', '192.0.2.1', '192.0.2.2']) await connect(url, from(address));
    expect(await Client.refusal(url, from('203.0.113.1, 192.0.2.1'))).toBe(503);
    for (const address of ['2', '3', '3', '4', '4']) await connect(url, from(`192.0.2.${address}`));
    expect(await Client.refusal(url, from('192.0.2.9'))).toBe(503);
    clients[0].socket.close();
    await clients[0].end();
    await connect(url, from('192.0.2.9'));
    expect(await gateways[0].registry.metrics()).toContain('\nfresnel_gateway_websockets 8\n');
  });

  it('cost points, and wait for them', async () => {
    const url = await start({ rateLimit: { points: 5, windowSeconds: 1 } });
    const client = await connect(url);
    for (const id of [1, 2, 3, 4]) client.call('slotSubscribe', [], id);
    const answers = (await client.received(4)) as { id: number; result: number }[];
    expect(answers.map(({ id, result }) => [id, typeof result])).toEqual([1, 2, 3, 4].map((id) => [id, 'number']));
    const busy = await start({ rateLimit: { points: 1, windowSeconds: 3600 } });
    await connect(busy);
    expect(await Client.refusal(busy)).toBe(429);
  });

  it('are only at the root, with or without a query, of both ports', async () => {
    const url = await start({ ...FORWARDING, GATEWAY_WS_PORT: undefined });
    const own = url.replace(String(gateways[0].port), String(gateways[0].port + 1));
    for (const base of [url, own]) {
      await connect(`${base}?api-key=x`);
      expect(await Client.refusal(`${base}getSlot`)).toBe(404);
    }
    expect((await sendHttp(own.replace('ws', 'http'), { body: '{}' })).status).toBe(426);
    const { status } = await sendHttp(url.replace('ws', 'http'), { body: '{"jsonrpc":"2.0","id":1,"method":"x"}' });
    expect(status).toBe(200);
  });

  it.each(['h2c', 'TLS/1.0', 'h2c, websocket'])('do not disturb a call that offers %s', async (protocol) => {
    const url = await start({});
    const headers = { 'content-type': 'application/json', connection: 'Upgrade, HTTP2-Settings', upgrade: protocol };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'x', params: ['x'.repeat(100_000)] });
    const { status, text } = await sendHttp(url.replace('ws', 'http'), { headers, body });
    expect([status, text]).toEqual([200, expect.stringContaining('Method not found')]);
  });

  it('need a free port, and the error names the setting', async () => {
    await start({ ...FORWARDING, GATEWAY_WS_PORT: undefined });
    const port = gateways[0].port + 1;
    await expect(start({ ...FORWARDING, GATEWAY_WS_PORT: port })).rejects.toThrow(
      `GATEWAY_WS_PORT: cannot listen on port ${port}`,
    );
  });

  it('do not exist without the pass-through', async () => {
    const gateway = await startTestGateway();
    gateways.push(gateway);
    const client = await connect(`ws://127.0.0.1:${gateway.port}/`);
    client.call('slotSubscribe');
    expect(await client.received(1)).toMatchObject([{ id: 1, error: { code: -32601 } }]);
  });
});
