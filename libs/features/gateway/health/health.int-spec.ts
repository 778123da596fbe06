import { migrate } from '@fresnel/adapters/store-schema';
import { startTestGateway, type TestGateway } from '@fresnel/testing/gateway';
import { postJson, sendHttp } from '@fresnel/testing/generic';
import { createTestDatabase, setIndexedSlot, type TestDatabase } from '@fresnel/testing/store';

describe('health', () => {
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
    const { status, text } = await sendHttp(gateway.url + path, { method: 'GET', headers: {} });
    return { status, body: JSON.parse(text) };
  }

  async function health(): Promise<unknown> {
    const { status, body } = await postJson(gateway.url, { jsonrpc: '2.0', id: 1, method: 'getIndexerHealth' });
    expect(status).toBe(200);
    const { result, error } = body as { result?: unknown; error?: { code: number; message: string } };
    return error ?? result;
  }

  it('is live whatever the index does', async () => {
    expect(await get('/health/live')).toEqual({ status: 200, body: { status: 'live' } });
    expect(await get('/health/live/')).toEqual({ status: 200, body: { status: 'live' } });
  });

  it('is not good without a schema, and says what to do', async () => {
    const empty = await createTestDatabase({ migrated: false });
    const early = await startTestGateway({ databaseUrl: empty.url });
    const { status, text } = await sendHttp(`${early.url}/health/ready`, { method: 'GET', headers: {} });
    const reasons = ['The database is not as expected: run the app "migrate" first'];
    expect([status, JSON.parse(text)]).toEqual([503, { status: 'not-ready', reasons }]);
    await migrate(empty.dataSource);
    await setIndexedSlot(empty.dataSource, 80, { chainTip: 100 });
    expect((await sendHttp(`${early.url}/health/ready`, { method: 'GET', headers: {} })).status).toBe(200);
    await early.close();
    await empty.drop();
  });

  it('is good near the tip of the chain', async () => {
    await setIndexedSlot(database.dataSource, 80, { chainTip: 100 });
    expect(await health()).toBe('ok');
    expect(await get('/health/ready')).toEqual({ status: 200, body: { status: 'ready' } });
  });

  it.each([
    ['far behind', 79, 100, 0, 'Node is behind 21 slots'],
    ['blind', 100, 100, 120_000, "The chain's tip was last seen 120 seconds ago"],
    ['empty', null, 100, 0, 'Nothing is indexed yet'],
    ['without a chain', 5, null, 0, "The chain's tip is not known yet"],
  ])('is bad %s', async (_, indexedSlot, chainTip, agoMs, reason) => {
    const seenAt = new Date(Date.now() - agoMs);
    await setIndexedSlot(database.dataSource, indexedSlot, { chainTip, seenAt });
    expect(await health()).toEqual({ code: -32000, message: reason });
    expect(await get('/health/ready')).toEqual({ status: 503, body: { status: 'not-ready', reasons: [reason] } });
  });
});
