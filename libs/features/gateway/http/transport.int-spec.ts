import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { startTestGateway, type TestGateway } from '@fresnel/testing/gateway';
import { RawConnection, sendHttp } from '@fresnel/testing/generic';

const CALL = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'nothing' });
const ANSWER = '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}';

function invalidRequest(reason: string): string {
  return `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request: ${reason}"}}`;
}

describe('transport', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({ GATEWAY_MAX_BODY_BYTES: 4096 });
  });
  afterAll(() => gateway.close());

  const post = (headers: Record<string, string>, body: string | Buffer = CALL) =>
    sendHttp(gateway.url, { headers, body });

  describe('an HTTP method other than POST', () => {
    it.each(['GET', 'PUT', 'DELETE', 'PATCH', 'PROPFIND', 'TRACE', 'QUERY', 'LOCK'])(
      '%s is rejected',
      async (method) => {
        const { status, headers, text } = await sendHttp(gateway.url, { method, headers: {} });
        expect([status, headers.allow, text]).toEqual([405, 'POST, OPTIONS', invalidRequest('only POST is allowed')]);
        expect(headers['content-type']).toBe('application/json; charset=utf-8');
      },
    );

    it.each(['/getCompressedAccount', '/docs/other.js', '/health/other', '/%zz', '/health/live%2f..'])(
      'is rejected at %s',
      async (path) => {
        const { status, headers } = await sendHttp(gateway.url + path, { method: 'GET', headers: {} });
        expect([status, headers.allow]).toEqual([405, 'POST, OPTIONS']);
      },
    );

    it.each(['/', '/health/live'])('HEAD is rejected without a body at %s', async (path) => {
      const { status, headers, text } = await sendHttp(gateway.url + path, { method: 'HEAD', headers: {} });
      expect([status, headers.allow, text]).toEqual([405, 'POST, OPTIONS', '']);
    });

    it('is rejected with any body', async () => {
      const { status } = await sendHttp(gateway.url, {
        method: 'PUT',
        headers: { 'content-type': 'text/plain', 'content-encoding': 'gzip' },
        body: 'x'.repeat(10_000),
      });
      expect(status).toBe(405);
    });

    it('CONNECT is rejected, and the connection closed', async () => {
      const connection = await RawConnection.open(gateway.port);
      connection.send('CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n');
      const text = await connection.waitForEnd();
      expect(text).toMatch(/^HTTP\/1\.1 405 Method Not Allowed\r\n/);
      expect(text).toContain('\r\nAllow: POST, OPTIONS\r\n');
      expect(text).toContain(invalidRequest('only POST is allowed'));
    });
  });

  describe('a path', () => {
    it.each(['/', '/nothing', '/nothing/', '/?api-key=x', '/nothing?api-key=x', '/nothing/?a=/other'])(
      '%s accepts a call of the method that it names',
      async (path) => {
        expect((await sendHttp(gateway.url + path, { body: CALL })).text).toBe(ANSWER);
      },
    );

    it.each(['/getCompressedAccount', '/nothing/more', '/health/live', '/%zz', '/%6eothing', '/Nothing'])(
      '%s rejects a call of another method',
      async (path) => {
        const { status, text } = await sendHttp(gateway.url + path, { body: CALL });
        expect([status, text]).toEqual([200, invalidRequest('method does not match the path').replace('null', '1')]);
      },
    );

    it('may have the absolute form that clients send to a proxy', async () => {
      const connection = await RawConnection.open(gateway.port);
      const head = `Host: x\r\nContent-Type: application/json\r\nContent-Length: ${CALL.length}\r\nConnection: close\r\n\r\n`;
      connection.send(`POST http://example.org/nothing HTTP/1.1\r\n${head}${CALL}`);
      expect(await connection.waitForEnd()).toContain(ANSWER);
    });
  });

  describe('a content type', () => {
    it.each([
      'application/json',
      'application/json; charset=utf-8',
      'application/json;charset=UTF-8',
      'application/json; charset="utf-8"',
      'application/json;',
      'application/json; pretty',
      'Application/JSON ; profile=x',
    ])('%s is accepted', async (type) => {
      expect((await post({ 'content-type': type })).text).toBe(ANSWER);
    });

    it.each([
      'text/plain',
      'application/json; charset=latin1',
      'application/jsonp',
      'application/json, text/plain',
      'application/x-www-form-urlencoded',
      ';',
    ])('%s is rejected', async (type) => {
      const { status, text } = await post({ 'content-type': type });
      expect([status, text]).toEqual([415, invalidRequest('the content type must be application/json in utf-8')]);
    });

    it('that is missing is rejected', async () => {
      expect((await post({})).status).toBe(415);
    });
  });

  describe('a content encoding', () => {
    it.each(['gzip', 'br', 'identity, gzip', 'x'])('%s is rejected', async (encoding) => {
      const { status, text } = await post({ 'content-type': 'application/json', 'content-encoding': encoding });
      expect([status, text]).toEqual([415, invalidRequest('compressed request bodies are not supported')]);
    });

    it('identity is accepted', async () => {
      expect((await post({ 'content-type': 'application/json', 'content-encoding': 'identity' })).text).toBe(ANSWER);
    });
  });

  describe('a body', () => {
    it('of the maximum size is accepted', async () => {
      expect((await sendHttp(gateway.url, { body: CALL.padEnd(4096) })).text).toBe(ANSWER);
    });

    it('of one byte more is rejected', async () => {
      const { status, text } = await sendHttp(gateway.url, { body: CALL.padEnd(4097) });
      expect([status, text]).toEqual([413, invalidRequest('the body is larger than 4096 bytes')]);
    });

    it('in chunks is rejected when it exceeds the maximum', async () => {
      const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
      expect((await post(headers, CALL.padEnd(4096))).text).toBe(ANSWER);
      expect((await post(headers, CALL.padEnd(4097))).status).toBe(413);
    });

    it('that is empty is a parse error, with and without a content length', async () => {
      const noJson = '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}';
      const { status, text } = await sendHttp(gateway.url, { body: '' });
      expect([status, text]).toEqual([200, noJson]);
      const connection = await RawConnection.open(gateway.port);
      connection.send('POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n');
      expect(await connection.waitForEnd()).toContain(noJson);
    });
  });

  describe('a response', () => {
    it('is JSON in UTF-8 and has a request id', async () => {
      const { headers } = await sendHttp(gateway.url, { body: CALL });
      expect(headers['content-type']).toBe('application/json; charset=utf-8');
      expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    });

    it.each([
      ['gzip, deflate', 'gzip', gunzipSync],
      ['gzip, deflate, br', 'br', brotliDecompressSync],
    ])('over a kilobyte, to a client that accepts %s, is sent as %s', async (accepted, encoding, expand) => {
      const id = 'x'.repeat(2000);
      const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'nothing' });
      const { headers, body: bytes } = await sendHttp(gateway.url, {
        headers: { 'content-type': 'application/json', 'accept-encoding': accepted },
        body,
      });
      expect(headers['content-encoding']).toBe(encoding);
      expect(JSON.parse(expand(bytes).toString())).toMatchObject({ id });
    });

    it('that is short is not compressed', async () => {
      const { headers } = await post({ 'content-type': 'application/json', 'accept-encoding': 'gzip, br' });
      expect(headers['content-encoding']).toBeUndefined();
    });
  });

  describe('a browser', () => {
    it('may call from any page', async () => {
      const { headers } = await post({ 'content-type': 'application/json', origin: 'https://example.org' });
      expect(headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-expose-headers': 'Retry-After, RateLimit, RateLimit-Policy',
      });
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
    });

    it.each([
      [405, { method: 'PUT' }],
      [413, { headers: { 'content-type': 'application/json' }, body: CALL.padEnd(4097) }],
      [415, { headers: { 'content-type': 'text/plain' }, body: CALL }],
    ])('may read an answer with status %i', async (expected, request) => {
      const { status, headers } = await sendHttp(gateway.url, request);
      expect([status, headers['access-control-allow-origin']]).toEqual([expected, '*']);
    });

    it.each(['/', '/getCompressedAccount', '/health/live', '/%zz'])(
      'may send a preflight request to %s',
      async (path) => {
        const { status, headers, text } = await sendHttp(gateway.url + path, {
          method: 'OPTIONS',
          headers: { origin: 'https://example.org', 'access-control-request-method': 'POST' },
        });
        expect([status, text]).toEqual([204, '']);
        expect(headers).toMatchObject({
          'access-control-allow-methods': 'POST',
        });
      },
    );

    it('may send every header that its preflight request asks for, also from a public page to a private network', async () => {
      const asked = 'content-type,solana-client,x-helius-client';
      const { headers } = await sendHttp(gateway.url, {
        method: 'OPTIONS',
        headers: {
          origin: 'https://example.org',
          'access-control-request-method': 'POST',
          'access-control-request-headers': asked,
          'access-control-request-private-network': 'true',
        },
      });
      expect(headers).toMatchObject({
        'access-control-allow-headers': asked,
        'access-control-allow-private-network': 'true',
      });
    });

    it('gets 204 for every OPTIONS', async () => {
      expect((await sendHttp(gateway.url, { method: 'OPTIONS', headers: {} })).status).toBe(204);
      const connection = await RawConnection.open(gateway.port);
      connection.send('OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
      expect(await connection.waitForEnd()).toMatch(/^HTTP\/1\.1 204 /);
    });
  });

  describe('a connection', () => {
    const request = (extra = '') =>
      `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${CALL.length}\r\n${extra}\r\n${CALL}`;

    it('answers pipelined requests in order', async () => {
      const connection = await RawConnection.open(gateway.port);
      const ids = [...Array(20).keys()];
      const requests = ids.map((id) => {
        const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'nothing' });
        const last = id === 19 ? 'Connection: close\r\n' : '';
        return `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n${last}\r\n${body}`;
      });
      connection.send(requests.join(''));
      const answered = [...(await connection.waitForEnd()).matchAll(/"id":(\d+)/g)].map(([, id]) => Number(id));
      expect(answered).toEqual(ids);
    });

    it.each([
      ['its first line', 'POST / HT'],
      ['its headers', 'POST / HTTP/1.1\r\nHost: x\r\n'],
      ['its body', request().slice(0, -5)],
    ])('on which a request stops in %s is closed', async (_, part) => {
      const impatient = await startTestGateway({ receiveTimeoutMs: 400 });
      const connection = await RawConnection.open(impatient.port);
      connection.send(part);
      const text = await connection.waitForEnd();
      await impatient.close();
      expect(text).toMatch(/^HTTP\/1\.1 408 /);
      expect(text).toContain(invalidRequest('the request was not received in time'));
    });

    it('may be reset at any time', async () => {
      for (const part of ['POST', request().slice(0, 60), request().slice(0, -1), request()]) {
        const connection = await RawConnection.open(gateway.port);
        connection.send(part);
        connection.destroy();
      }
      expect((await sendHttp(gateway.url, { body: CALL })).text).toBe(ANSWER);
    });

    it.each([
      ['a malformed request', 'hello\r\n\r\n', 400, 'not a valid HTTP request'],
      ['an unknown HTTP method', 'FETCH / HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'not a valid HTTP request'],
      ['two content lengths', request('Content-Length: 1\r\n'), 400, 'not a valid HTTP request'],
      ['large headers', `POST / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'the headers are too large'],
    ])('with %s is closed', async (_, bytes, status, reason) => {
      const connection = await RawConnection.open(gateway.port);
      connection.send(bytes);
      const text = await connection.waitForEnd();
      expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(text).toContain(invalidRequest(reason));
    });

    it('stays open between requests longer than load balancers keep it', async () => {
      const connection = await RawConnection.open(gateway.port);
      connection.send(request());
      expect(await connection.receive(/Method not found/)).toContain('\r\nKeep-Alive: timeout=620\r\n');
      connection.destroy();
    });

    it('is closed after its response while the gateway drains, and when it closes if none is due', async () => {
      const draining = await startTestGateway();
      const open = () => RawConnection.open(draining.port);
      const [idle, used, unused] = [await open(), await open(), await open()];
      idle.send(request());
      await idle.receive(/Method not found/);
      used.send(request().slice(0, -1));
      draining.checks.startDraining();
      // Its first request is still on its way.
      unused.send(request());
      expect(await unused.waitForEnd()).toMatch(/Method not found/);
      used.send(request().slice(-1));
      expect(await used.waitForEnd()).toMatch(/Method not found/);
      await Promise.all([draining.close(), idle.waitForEnd()]);
    });
  });
});
