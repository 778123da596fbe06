import { migrate } from '@fresnel/adapters/store-schema';
import { startTestGateway, type TestGateway } from '@fresnel/testing/gateway';
import { postJson, sendHttp, TcpLink } from '@fresnel/testing/generic';
import { createTestDatabase, insertBlock, setIndexedSlot, type TestDatabase } from '@fresnel/testing/store';

describe('the index', () => {
  let database: TestDatabase;
  let gateway: TestGateway;
  beforeAll(async () => {
    database = await createTestDatabase();
    gateway = await startTestGateway({ databaseUrl: database.url });
  });
  afterAll(async () => {
    await gateway.close();
    await database.drop();
  });

  async function get(path: string): Promise<{ status: number; body: unknown }> {
    const { status, text } = await sendHttp(gateway.adminUrl + path, { method: 'GET', headers: {} });
    return { status, body: JSON.parse(text) };
  }

  async function health(): Promise<unknown> {
    const { status, body } = await postJson(gateway.url, { jsonrpc: '2.0', id: 1, method: 'getIndexerHealth' });
    expect(status).toBe(200);
    const { result, error } = body as { result?: unknown; error?: { code: number; message: string } };
    return error ?? result;
  }

  it('does not affect liveness', async () => {
    expect(await get('/health/live')).toEqual({ status: 200, body: { status: 'live' } });
  });

  it('is not ready without a schema, and names the remedy', async () => {
    const empty = await createTestDatabase({ migrated: false });
    const gatewayBeforeMigration = await startTestGateway({ databaseUrl: empty.url });
    const { status, text } = await sendHttp(`${gatewayBeforeMigration.adminUrl}/health/ready`, {
      method: 'GET',
      headers: {},
    });
    const reasons = ['The database schema is not the expected one: run the app "migrate" first'];
    expect([status, JSON.parse(text)]).toEqual([503, { status: 'not-ready', reasons }]);
    await migrate(empty.dataSource);
    await setIndexedSlot(empty.dataSource, 80, { chainTip: 100 });
    expect(
      (await sendHttp(`${gatewayBeforeMigration.adminUrl}/health/ready`, { method: 'GET', headers: {} })).status,
    ).toBe(200);
    await gatewayBeforeMigration.close();
    await empty.drop();
  });

  it.each(['liveness', 'readiness'])('is not probed by %s beyond what the name says', async (method) => {
    const probe = (url: string) => sendHttp(`${url}/${method}`, { method: 'GET', headers: {} });
    const call = (url: string) => postJson(url, { jsonrpc: '2.0', id: 1, method });
    const ok = await probe(gateway.url);
    expect([ok.status, ok.text, ok.headers['content-type']]).toEqual([200, 'null', 'application/json; charset=utf-8']);
    expect(await call(gateway.url)).toMatchObject({ status: 200, body: { jsonrpc: '2.0', id: 1, result: null } });
    const lost = await startTestGateway();
    const expected = method === 'liveness' ? 200 : 500;
    expect((await probe(lost.url)).status).toBe(expected);
    expect((await call(lost.url)).status).toBe(expected);
    await lost.close();
  });

  it('is healthy and ready near the chain tip', async () => {
    await setIndexedSlot(database.dataSource, 80, { chainTip: 100 });
    expect(await health()).toBe('ok');
    expect(await get('/health/ready')).toEqual({ status: 200, body: { status: 'ready' } });
  });

  it.each([
    ['it is far behind', 79, 100, 0, 'Node is behind 21 slots'],
    ['the chain tip is out of date', 100, 100, 120_000, 'The chain tip was last seen 120 seconds ago'],
    ['nothing is indexed', null, 100, 0, 'Nothing is indexed yet'],
    ['the chain tip is unknown', 5, null, 0, 'The chain tip is not known yet'],
  ])('is unhealthy, and the gateway ready, when %s', async (_, indexedSlot, chainTip, agoMs, reason) => {
    const seenAt = new Date(Date.now() - agoMs);
    await setIndexedSlot(database.dataSource, indexedSlot, { chainTip, seenAt });
    expect(await health()).toEqual({ code: -32000, message: reason });
    expect(await get('/health/ready')).toEqual({ status: 200, body: { status: 'ready' } });
  });

  it.each([
    ['ok', 80, 100],
    ['behind 21', 79, 100],
    ['unknown', null, 100],
  ])('is %s for a load balancer that asks as it asks Solana nodes', async (text, indexedSlot, chainTip) => {
    await setIndexedSlot(database.dataSource, indexedSlot, { chainTip });
    const answer = await sendHttp(`${gateway.url}/health`, { method: 'GET', headers: {} });
    expect([answer.status, answer.text]).toEqual([200, text]);
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
  });

  it.each(['/health', '//health', '/health/?api-key=x', '/liveness', '//readiness'])(
    'is probed at %s with GET and with HEAD, which has no body',
    async (path) => {
      const [get, head] = await Promise.all(
        ['GET', 'HEAD'].map((method) => sendHttp(gateway.url + path, { method, headers: {} })),
      );
      expect([get.status, head.status, head.text]).toEqual([200, 200, '']);
      expect(head.headers['content-length']).toBe(get.headers['content-length']);
    },
  );

  it('is unknown for a load balancer while it cannot be read', async () => {
    const lost = await startTestGateway();
    const answer = await sendHttp(`${lost.url}/health`, { method: 'GET', headers: {} });
    expect([answer.status, answer.text]).toEqual([503, 'unknown']);
    await lost.close();
  });

  it('has an age in the metrics once a block is indexed, which grows while the database does not answer', async () => {
    const link = await TcpLink.to(database.url);
    const viaLink = await startTestGateway({ databaseUrl: link.url });
    const readLag = async () => {
      const metric = viaLink.registry.getSingleMetric('fresnel_index_lag_seconds');
      return (await metric?.get())?.values.at(0)?.value;
    };
    await setIndexedSlot(database.dataSource, null);
    expect(await readLag()).toBeUndefined();
    await insertBlock(database.dataSource, 80, Math.floor(Date.now() / 1000) - 500);
    await setIndexedSlot(database.dataSource, 80);
    const before = await readLag();
    expect(before).toBeGreaterThanOrEqual(500);
    await link.cut();
    expect(await readLag()).toBeGreaterThan(before ?? Infinity);
    await viaLink.close();
  });

  it('is answered while the gateway drains, which is not ready then', async () => {
    await setIndexedSlot(database.dataSource, 80, { chainTip: 100 });
    const draining = await startTestGateway({ databaseUrl: database.url });
    draining.checks.startDraining();
    const ready = await sendHttp(`${draining.adminUrl}/health/ready`, { method: 'GET', headers: {} });
    expect([ready.status, JSON.parse(ready.text)]).toEqual([503, { status: 'not-ready', reasons: ['Shutting down'] }]);
    const call = await sendHttp(draining.url, {
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getIndexerSlot' }),
    });
    expect([call.status, call.headers.connection]).toEqual([200, 'close']);
    await draining.close();
  });
});
