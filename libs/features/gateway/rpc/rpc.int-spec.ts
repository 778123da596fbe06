import { startTestGateway, type TestGateway } from '@fresnel/testing/gateway';
import { sendHttp } from '@fresnel/testing/generic';
import { createTestDatabase, setIndexedSlot, type TestDatabase } from '@fresnel/testing/store';

const slotCall = (id: unknown) => ({ jsonrpc: '2.0', id, method: 'getIndexerSlot' });

function failure(id: unknown, code: number, message: string) {
  return { jsonrpc: '2.0', id, error: { code, message } };
}

describe('calls', () => {
  let database: TestDatabase;
  let gateway: TestGateway;
  beforeAll(async () => {
    database = await createTestDatabase();
    await setIndexedSlot(database.dataSource, 7);
    gateway = await startTestGateway({ databaseUrl: database.url });
  });
  afterAll(async () => {
    await gateway.close();
    await database.drop();
  });

  async function send(body: unknown, path = ''): Promise<{ status: number; text: string; json: unknown }> {
    const payload = Buffer.isBuffer(body) ? body : typeof body === 'string' ? body : JSON.stringify(body);
    const { status, text } = await sendHttp(gateway.url + path, { body: payload });
    return { status, text, json: JSON.parse(text) };
  }

  it.each(['test-account', 'helius-sdk', '1', 1, -5, 0, null, '\ud800'])('echo their id %j', async (id) => {
    expect((await send(slotCall(id))).json).toEqual({ jsonrpc: '2.0', id, result: 7 });
  });

  it('echo the largest exact integer digit for digit, and reject larger ones', async () => {
    expect((await send('{"jsonrpc":"2.0","id":9007199254740991,"method":"getIndexerSlot"}')).text).toBe(
      '{"jsonrpc":"2.0","id":9007199254740991,"result":7}',
    );
    expect((await send('{"jsonrpc":"2.0","id":9007199254740993,"method":"getIndexerSlot"}')).json).toEqual(
      failure(null, -32600, 'Invalid Request: id must be a string, an integer or null'),
    );
  });

  it('of unknown methods are answered, also of names that every object has as members', async () => {
    for (const method of ['getBalance', 'constructor', '__proto__', 'toString', '']) {
      expect((await send({ ...slotCall(1), method })).json).toEqual(failure(1, -32601, 'Method not found'));
    }
  });

  it('in a batch are answered one by one in order: a call, one without id, garbage, an unknown method', async () => {
    const batch = [slotCall('a'), { jsonrpc: '2.0', method: 'getIndexerSlot' }, 5, { ...slotCall(2), method: 'other' }];
    expect(await send(batch)).toMatchObject({
      status: 200,
      json: [
        { jsonrpc: '2.0', id: 'a', result: 7 },
        failure(null, -32600, 'Invalid Request: id is required'),
        failure(null, -32600, 'Invalid Request: not an object'),
        failure(2, -32601, 'Method not found'),
      ],
    });
  });

  it('in a batch on the path of a method must all be of that method', async () => {
    expect((await send([slotCall(1), { ...slotCall(2), method: 'getIndexerHealth' }], '/getIndexerSlot')).json).toEqual(
      [{ jsonrpc: '2.0', id: 1, result: 7 }, failure(2, -32600, 'Invalid Request: method does not match the path')],
    );
  });

  it('are limited to 100 in a batch', async () => {
    const batch = Array.from({ length: 101 }, (_, id) => slotCall(id));
    expect((await send(batch.slice(1))).json).toEqual(
      batch.slice(1).map(({ id }) => ({ jsonrpc: '2.0', id, result: 7 })),
    );
    expect((await send(batch)).json).toEqual(
      failure(null, -32600, 'Invalid Request: the batch has more than 100 entries'),
    );
    expect((await send([])).json).toEqual(failure(null, -32600, 'Invalid Request: the batch is empty'));
  });

  const parseError = failure(null, -32700, 'Parse error');

  it.each<[string, string | Buffer, unknown]>([
    ['a megabyte of brackets', '['.repeat(1024 * 1024), parseError],
    [
      'arrays ten thousand deep',
      '['.repeat(10_000) + ']'.repeat(10_000),
      [failure(null, -32600, 'Invalid Request: not an object')],
    ],
    [
      'params a hundred thousand deep',
      `{"jsonrpc":"2.0","id":1,"method":"getCompressedAccount","params":{"hash":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`,
      failure(1, -32602, 'Invalid params: hash must be a hash (base58 of 32 bytes)'),
    ],
    [
      'an id of half a megabyte',
      `{"jsonrpc":"2.0","id":"${'x'.repeat(500_000)}","method":"getIndexerSlot"}`,
      { jsonrpc: '2.0', id: 'x'.repeat(500_000), result: 7 },
    ],
    [
      'a hundred thousand members',
      `{"jsonrpc":"2.0","id":1,"method":"getIndexerSlot","params":{${Array.from({ length: 80_000 }, (_, n) => `"${n}":0`).join()}}}`,
      failure(1, -32602, 'Invalid params: this method has no parameters'),
    ],
    [
      'a member __proto__',
      '{"__proto__":{"x":1},"jsonrpc":"2.0","id":1,"method":"getIndexerSlot","params":{"__proto__":[]}}',
      failure(1, -32602, 'Invalid params: this method has no parameters'),
    ],
    ['a byte order mark', `\ufeff${JSON.stringify(slotCall(1))}`, parseError],
    ['a NUL byte', `${JSON.stringify(slotCall(1))}\0`, parseError],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xc3, 0x28, 0x22]), parseError],
    [
      'a lone surrogate as an id',
      '{"jsonrpc":"2.0","id":"\\ud800","method":"getIndexerSlot"}',
      { jsonrpc: '2.0', id: '\ud800', result: 7 },
    ],
    [
      'equal members',
      '{"jsonrpc":"2.0","id":1,"id":2,"method":"x","method":"getIndexerSlot"}',
      { jsonrpc: '2.0', id: 2, result: 7 },
    ],
    [
      'a zero byte in an address',
      '{"jsonrpc":"2.0","id":1,"method":"getCompressedAccount","params":{"hash":"\\u0000"}}',
      failure(1, -32602, 'Invalid params: hash must be a hash (base58 of 32 bytes)'),
    ],
  ])('are answered after %s', async (_, body, answer) => {
    expect(await send(body)).toMatchObject({ status: 200, json: answer });
    expect((await send(slotCall('after'))).json).toEqual({ jsonrpc: '2.0', id: 'after', result: 7 });
  });

  it('are counted by method and outcome, with one label for all unknown methods', async () => {
    await send([slotCall(1), { ...slotCall(2), method: 'noSuchMethod' }, 'garbage']);
    const metrics = await gateway.registry.metrics();
    expect(metrics).toMatch(/^fresnel_gateway_calls_total\{method="getIndexerSlot",outcome="ok"\} \d+$/m);
    expect(metrics).toMatch(/^fresnel_gateway_calls_total\{method="unknown",outcome="-32601"\} \d+$/m);
    expect(metrics).toMatch(/^fresnel_gateway_calls_total\{method="invalid",outcome="-32600"\} \d+$/m);
    expect(metrics).not.toContain('noSuchMethod');
    expect(metrics).toMatch(/^fresnel_gateway_calls_in_flight 0$/m);
  });
});
