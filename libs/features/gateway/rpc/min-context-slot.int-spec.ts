import { RpcChecker, startTestGateway, type TestGateway } from '@fresnel/testing/gateway';
import { eventually, PATIENCE_MS } from '@fresnel/testing/generic';
import { createTestDatabase, setIndexedSlot, type TestDatabase } from '@fresnel/testing/store';

const SLOT = 500;
const OWNER = '11111111111111111111111111111111';

describe('minContextSlot', () => {
  let database: TestDatabase;
  let gateway: TestGateway;
  const rpc = new RpcChecker(() => gateway.url);

  beforeAll(async () => {
    database = await createTestDatabase();
    gateway = await startTestGateway({ databaseUrl: database.url, minContextSlotWaitMs: 300 });
  });
  beforeEach(async () => {
    await setIndexedSlot(database.dataSource, SLOT);
    await eventually('calls see the slot', async () => {
      return (await rpc.call('getIndexerSlot', { minContextSlot: SLOT })).result === SLOT;
    });
  });
  afterAll(async () => {
    await gateway.close();
    await database.drop();
  });

  const balance = (minContextSlot: unknown) =>
    rpc.call('getCompressedBalanceByOwner', { owner: OWNER, minContextSlot });

  it.each([0, SLOT, null, undefined])('of %p is reached', async (minContextSlot) => {
    expect((await balance(minContextSlot)).result).toEqual({ context: { slot: SLOT }, value: 0 });
  });

  it('lets a call wait until the slot is indexed', async () => {
    const patient = await startTestGateway({ databaseUrl: database.url, minContextSlotWaitMs: PATIENCE_MS });
    const waiting = new RpcChecker(() => patient.url).call('getCompressedBalanceByOwner', {
      owner: OWNER,
      minContextSlot: SLOT + 1,
    });
    await setIndexedSlot(database.dataSource, SLOT + 1);
    expect((await waiting).result).toEqual({ context: { slot: SLOT + 1 }, value: 0 });
    await patient.close();
  });

  it.each([SLOT + 1, 2 ** 53])('of %d is refused after a time, with the indexed slot', async (minContextSlot) => {
    expect(await balance(minContextSlot)).toMatchObject({
      status: 200,
      error: { code: -32016, message: 'Minimum context slot has not been reached', data: { contextSlot: SLOT } },
    });
  });

  it.each([-1, 0.5, '5', {}])('must be an unsigned integer, not %p', async (minContextSlot) => {
    expect(await rpc.errorOf('getCompressedBalanceByOwner', { owner: OWNER, minContextSlot })).toEqual({
      code: -32602,
      message: 'Invalid params: minContextSlot must be an unsigned integer',
    });
  });

  it('is accepted by methods without other params, and is no member of other objects', async () => {
    expect((await rpc.call('getIndexerSlot', { minContextSlot: SLOT })).result).toBe(SLOT);
    expect(await rpc.errorOf('getMultipleNewAddressProofsV2', [{ minContextSlot: SLOT }])).toMatchObject({
      code: -32602,
    });
  });

  it('waits for nothing that was never indexed', async () => {
    await setIndexedSlot(database.dataSource, null);
    expect(await rpc.errorOf('getIndexerSlot', { minContextSlot: 1 })).toEqual({
      code: -32000,
      message: 'Nothing is indexed yet',
    });
  });
});
