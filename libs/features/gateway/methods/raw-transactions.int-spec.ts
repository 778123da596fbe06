import { NodeRpc } from '@fresnel/adapters/chain';
import { toBase58 } from '@fresnel/domain/primitives';
import { FakeNode } from '@fresnel/testing/chain';
import { RpcChecker, startTestGateway, type TestGateway } from '@fresnel/testing/gateway';
import { captureLog, postJson } from '@fresnel/testing/generic';
import { testSignature } from '@fresnel/testing/slots';
import { createTestDatabase, insertTransaction, setIndexedSlot, type TestDatabase } from '@fresnel/testing/store';

const SIGNATURES = [1, 2, 3].map(testSignature);
const EXECUTED = '{"slot":5,"blockTime":7,"executed":{"signature":"","accountKeys":[],"instructions":[]}}';
const WHOLE =
  '{"slot":5,"blockTime":7,"transaction":["AQ==","base64"],"meta":{"fee":18446744073709551615},"version":0}';

describe('a transaction whose source gave no bytes', () => {
  let database: TestDatabase;
  let node: FakeNode;
  let other: FakeNode;
  let gateway: TestGateway;
  const { logger } = captureLog();
  const rpc = new RpcChecker(() => gateway.url);
  beforeAll(async () => {
    database = await createTestDatabase();
    [node, other] = [await FakeNode.start(), await FakeNode.start()];
    await setIndexedSlot(database.dataSource, 100);
    for (const [at, signature] of SIGNATURES.entries()) {
      const json = at === 0 ? WHOLE : EXECUTED;
      await insertTransaction(database.dataSource, { signature, slot: 5 + at, json, consumed: [], created: [] });
    }
    const limits = { timeoutMs: 5_000, maxResponseBytes: 100_000, concurrency: 2 };
    const options = { ...limits, commitment: 'confirmed' as const, onAttempt: () => undefined };
    const nodeRpc = new NodeRpc({ ...options, urls: [node.url, other.url] }, logger);
    gateway = await startTestGateway({ databaseUrl: database.url, node: nodeRpc, logger });
  });
  afterAll(async () => {
    await gateway.close();
    await node.close();
    await other.close();
    await database.drop();
  });
  beforeEach(() => {
    for (const each of [node, other]) {
      each.requests.length = 0;
      each.methods.clear();
      each.methods.set('getTransaction', () => null);
    }
  });
  const asked = (each: FakeNode) => each.requestsOf('getTransaction').map(({ params }) => params[0]);
  const ask = (at: number) =>
    rpc.result('getTransactionWithCompressionInfo', { signature: toBase58(SIGNATURES[at]) }) as Promise<{
      transaction: object;
    }>;

  it('is fetched from the first node that has it, once for equal requests', async () => {
    other.methods.set('getTransaction', () => JSON.parse(WHOLE) as object);
    const found = await Promise.all([ask(1), ask(1), ask(1)]);
    for (const { transaction } of found) expect(transaction).toMatchObject({ slot: 5, version: 0 });
    await ask(1);
    expect([asked(node).length, asked(other).length]).toEqual([1, 1]);
    expect(other.requestsOf('getTransaction')[0].params).toEqual([
      toBase58(SIGNATURES[1]),
      { commitment: 'confirmed', encoding: 'base64', maxSupportedTransactionVersion: 1 },
    ]);
  });

  it('is an error if no node has it, and never null', async () => {
    const signature = toBase58(SIGNATURES[2]);
    const body = { jsonrpc: '2.0', id: 1, method: 'getTransactionWithCompressionInfo', params: { signature } };
    const response = await postJson(gateway.url, body);
    expect(response.status).toBe(500);
    expect(response.body).toEqual({
      ...{ jsonrpc: '2.0', id: 1 },
      error: { code: -32603, message: 'Internal error', data: { signature } },
    });
    other.methods.set('getTransaction', () => JSON.parse(WHOLE) as object);
    expect((await ask(2)).transaction).toMatchObject({ slot: 5 });
  });

  it('is not asked for if it is stored with its bytes, or unknown', async () => {
    expect((await ask(0)).transaction).toMatchObject({ version: 0 });
    const signature = toBase58(testSignature(9));
    expect(await rpc.result('getTransactionWithCompressionInfo', { signature })).toBeNull();
    expect([asked(node), asked(other)]).toEqual([[], []]);
  });
});
