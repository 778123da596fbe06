import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { captureLog } from '@fresnel/testing/generic';
import { IndexRpc } from './index-rpc';

const { signal } = new AbortController();

describe('the client of an index', () => {
  let server: Server;
  let rpc: IndexRpc;
  /** What the server does with the next requests; then it answers. */
  let next: ((response: ServerResponse) => void)[];
  let result: string;
  let requests: string[];
  beforeAll(async () => {
    server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const body = Buffer.concat(parts).toString();
        requests.push(body);
        const answer = next.shift();
        if (answer) answer(response);
        else response.end(`{"jsonrpc":"2.0","id":${(JSON.parse(body) as { id: number }).id},"result":${result}}`);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    rpc = new IndexRpc(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, captureLog().logger);
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  beforeEach(() => {
    [next, result, requests] = [[], '1', []];
  });

  it('reads numbers with all digits', async () => {
    result = '{"a":[18446744073709551615,9007199254740991,-1.5e3],"b":"12345678901234567890","c":null,"d":{}}';
    expect(await rpc.ask('getIndexerSlot', [], signal)).toEqual({
      result: { a: [18446744073709551615n, 9007199254740991, -1500], b: '12345678901234567890', c: null, d: {} },
    });
    expect(JSON.parse(requests[0])).toMatchObject({ method: 'getIndexerSlot', params: [] });
  });

  it('waits while the rate of requests is refused, with and without a reason in JSON', async () => {
    const refuse = (body: string) => (response: ServerResponse) => {
      response.writeHead(429, { 'retry-after': '1' }).end(body);
    };
    next = [
      refuse('Too many requests'),
      refuse('{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"Too many requests"}}'),
    ];
    expect(await rpc.ask('getIndexerSlot', [], signal)).toEqual({ result: 1 });
    expect(requests).toHaveLength(3);
  });

  it('returns errors, and the reason if there is no answer', async () => {
    next = [
      (response) => response.end('{"jsonrpc":"2.0","id":4,"error":{"code":-32000,"message":"unknown"}}'),
      (response) => response.writeHead(502).end('<html>'),
    ];
    expect(await rpc.ask('a', [], signal)).toMatchObject({ failure: expect.stringContaining('unknown') as string });
    expect(await rpc.ask('a', [], signal)).toMatchObject({ failure: expect.stringContaining('HTTP 502') as string });
    expect(requests).toHaveLength(2);
  });

  it('ends with its signal while it waits', async () => {
    const controller = new AbortController();
    next = [
      (response) =>
        response.writeHead(429, { 'retry-after': '60' }).end(() => {
          controller.abort(new Error('interrupted'));
        }),
    ];
    await expect(rpc.ask('a', [], controller.signal)).rejects.toThrow('interrupted');
  });
});
