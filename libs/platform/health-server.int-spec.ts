import { sendHttp } from '@fresnel/testing/generic';
import { Counter, Registry } from 'prom-client';
import { type HealthServer, startHealthServer } from './health-server';

describe('the health server', () => {
  const registry = new Registry();
  new Counter({ name: 'fresnel_test_total', help: 'A test', registers: [registry] }).inc(3);
  let faults: () => Promise<string[]> = () => Promise.resolve([]);
  let stuck: string[] = [];
  let server: HealthServer;
  const get = (path: string, method = 'GET') => sendHttp(`http://127.0.0.1:${server.port}${path}`, { method });

  beforeAll(async () => {
    server = await startHealthServer({
      host: '127.0.0.1',
      port: 0,
      registry,
      findFaults: () => faults(),
      findStuck: () => stuck,
    });
  });
  afterAll(() => server.close());

  it('reports that the process is live, also when it is not ready', async () => {
    faults = () => Promise.resolve(['The database does not answer']);
    expect([(await get('/health/live')).status, (await get('/health/live')).text]).toEqual([200, '{"status":"live"}']);
  });

  it('reports that the process is stuck', async () => {
    stuck = ['A batch is in progress for 400 s'];
    const { status, text } = await get('/health/live');
    expect([status, JSON.parse(text)]).toEqual([503, { status: 'stuck', reasons: stuck }]);
    stuck = [];
  });

  it.each([
    ['there is no fault', () => Promise.resolve([]), 200, { status: 'ready' }],
    ['there is a fault', () => Promise.resolve(['It lags']), 503, { status: 'not-ready', reasons: ['It lags'] }],
    [
      'a health check fails',
      () => Promise.reject(new Error('no answer')),
      503,
      { status: 'not-ready', reasons: ['no answer'] },
    ],
  ])('reports whether the process is ready when %s', async (_, found, status, body) => {
    faults = found;
    const response = await get('/health/ready');
    expect([response.status, JSON.parse(response.text)]).toEqual([status, body]);
  });

  it('serves its metrics', async () => {
    const { headers, text } = await get('/metrics');
    expect(headers['content-type']).toBe(registry.contentType);
    expect(text).toContain('fresnel_test_total 3');
  });

  it.each([
    ['GET', '/'],
    ['POST', '/health/live'],
    ['GET', '/constructor'],
  ])('responds to %s %s with 404', async (method, path) => {
    expect((await get(path, method)).status).toBe(404);
  });
});
