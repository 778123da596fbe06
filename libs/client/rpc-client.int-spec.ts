import { startTestGateway, type TestGateway } from '@fresnel/testing/gateway';
import { createTestDatabase, setIndexedSlot, type TestDatabase } from '@fresnel/testing/store';
import { type Methods } from './generated/methods';
import { RpcClient } from './rpc-client';

describe('RpcClient', () => {
  let database: TestDatabase;
  let gateway: TestGateway;
  beforeAll(async () => {
    database = await createTestDatabase();
    await setIndexedSlot(database.dataSource, 7);
    gateway = await startTestGateway({ databaseUrl: database.url, rateLimit: { points: 20, windowSeconds: 60 } });
  });
  afterAll(async () => {
    await gateway.close();
    await database.drop();
  });

  it('returns results, with bigint for 64-bit integers', async () => {
    const rpc = new RpcClient(gateway.url);
    expect(await rpc.call('getIndexerSlot')).toBe(7);
    expect((await rpc.call('getIndexerStatus', null)).trees).toEqual({ served: 0, refused: 0 });
    const owner = '38eTBdRT4kdFELvNfbJbFZNvGWUvXbn3DdJn3PzMtsqJ';
    const balance: bigint = (await rpc.call('getCompressedBalanceByOwner', { owner, minContextSlot: 7 })).value;
    expect(balance).toBe(0n);
    expect((await rpc.call('rpc.discover')).openrpc).toBe('1.3.2');
  });

  it('throws the errors of the gateway', async () => {
    const rpc = new RpcClient<Methods & { other: { params: [number]; result: string } }>(gateway.url);
    await expect(rpc.call('getTreeStatus', { tree: 'x' })).rejects.toMatchObject({ code: -32602, isFinal: true });
    await expect(rpc.call('other', [1])).rejects.toMatchObject({ code: -32601, isUnknownMethod: true });
    const anyNumber: unknown = expect.any(Number);
    const many = Array.from({ length: 20 }, () => rpc.call('liveness'));
    await expect(Promise.all(many)).rejects.toMatchObject({
      code: -32005,
      isFinal: false,
      retryAfterSeconds: anyNumber,
    });
  });

  it('tells a server that does not answer from a caller that does not wait', async () => {
    const signal = AbortSignal.abort();
    await expect(new RpcClient(gateway.url).call('liveness', null, { signal })).rejects.toThrow('aborted');
    const nobody = new RpcClient('http://127.0.0.1:1');
    await expect(nobody.call('liveness')).rejects.toMatchObject({ code: null, isFinal: false });
    const { url } = gateway;
    await expect(new RpcClient(`${url}/docs`).call('liveness')).rejects.toMatchObject({ name: 'RpcError' });
  });
});
