import { gunzipSync } from 'node:zlib';
import { createOpenApi, createOpenRpc } from '@fresnel/contracts/rpc';
import { RpcChecker, startTestGateway, type TestGateway } from '@fresnel/testing/gateway';
import { sendHttp } from '@fresnel/testing/generic';

describe('the documentation', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway();
  });
  afterAll(() => gateway.close());

  const get = (path: string) => sendHttp(gateway.url + path, { method: 'GET', headers: {} });

  it('has the OpenAPI document of the contracts', async () => {
    const { status, headers, text } = await get('/openapi.json');
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    expect(JSON.parse(text)).toEqual(createOpenApi());
  });

  it('has the OpenRPC document of the contracts, as a file and as the result of rpc.discover', async () => {
    const { status, headers, text } = await get('/openrpc.json');
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    expect(JSON.parse(text)).toEqual(createOpenRpc());
    const rpc = new RpcChecker(() => gateway.url);
    expect(await rpc.result('rpc.discover')).toEqual(createOpenRpc());
    expect(await rpc.errorOf('rpc.discover', ['x'])).toMatchObject({ code: -32602 });
  });

  it.each(['/docs', '/docs/'])('has a page at %s that may load scripts from the gateway only', async (path) => {
    const { status, headers, text } = await get(path);
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(text).toMatch(/^<!doctype html>/);
  });

  it('serves every file that the page loads', async () => {
    const { text } = await get('/docs');
    const paths = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, path]) => path);
    const responses = await Promise.all(paths.map(get));
    expect(responses.map(({ status }) => status)).toEqual(paths.map(() => 200));
    expect(responses.map(({ headers }) => headers['content-type'])).toEqual([
      'text/css; charset=utf-8',
      'image/png',
      'text/javascript; charset=utf-8',
      'text/javascript; charset=utf-8',
    ]);
    expect(responses[2].text).toContain('SwaggerUIBundle');
  });

  it.each(['/openapi.json', '/openrpc.json', '/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js'])(
    'has %s, which is compressed',
    async (path) => {
      const request = { method: 'GET', headers: { 'accept-encoding': 'gzip' } };
      const { headers, body } = await sendHttp(gateway.url + path, request);
      expect(headers['content-encoding']).toBe('gzip');
      expect(gunzipSync(body).toString()).toBe((await get(path)).text);
    },
  );

  it('is served at another port than metrics in the Prometheus text format', async () => {
    expect((await get('/metrics')).status).toBe(405);
    const { status, headers, text } = await sendHttp(`${gateway.adminUrl}/metrics`, { method: 'GET', headers: {} });
    expect([status, headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    expect(text).toContain('# TYPE fresnel_gateway_call_duration_seconds histogram');
    expect(text).toContain('process_cpu_seconds_total');
  });
});
