import { ProjectionStore, type SlotBatch, type SlotUpdate } from '@fresnel/adapters/store-write';
import { encodePushCursor } from '@fresnel/contracts/rpc';
import { toBase58 } from '@fresnel/domain/primitives';
import { PushConnection, startTestGateway, type TestGateway } from '@fresnel/testing/gateway';
import { until } from '@fresnel/testing/generic';
import { consumedAccount, createdAccount, slotUpdate, TEST_STATE_TREE, testHash } from '@fresnel/testing/slots';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';

const MAX_SUBSCRIPTIONS = 4;
const MAX_VALUES = 10;

const revertOf = ({ events: { slot, blockhash } }: SlotUpdate) => ({ reverted: { slot, blockhash } });

describe('a subscription to compressed accounts', () => {
  let database: TestDatabase;
  let gateway: TestGateway;
  const connections: PushConnection[] = [];
  beforeAll(async () => {
    database = await createTestDatabase();
    gateway = await startTestGateway({
      databaseUrl: database.url,
      GATEWAY_MAX_SUBSCRIPTIONS: MAX_SUBSCRIPTIONS,
      GATEWAY_MAX_FILTER_VALUES: MAX_VALUES,
    });
  });
  afterEach(async () => {
    for (const connection of connections.splice(0)) connection.end();
    await database.empty();
  });
  afterAll(async () => {
    await gateway.close();
    await database.drop();
  });

  const persist = (...slots: SlotBatch['slots']) =>
    new ProjectionStore(database.dataSource).persistSlots({ slots, chainTip: null, position: null });
  async function connect(url = gateway.url): Promise<PushConnection> {
    const connection = await PushConnection.open(url);
    connections.push(connection);
    return connection;
  }
  async function follow(filter: unknown = 'all', options: object = {}): Promise<PushConnection> {
    const connection = await connect();
    expect(await connection.subscribe(filter, options)).toMatchObject({ result: 1 });
    return connection;
  }

  const first = slotUpdate(10, { created: [createdAccount(9, 7n, 70)] });
  const both = [createdAccount(1, 5n, 71), createdAccount(2, 6n, 72)];
  const incomplete = slotUpdate(11, { created: both.slice(0, 1) });
  const complete = slotUpdate(11, { created: both });
  const spend = slotUpdate(12, { consumed: [consumedAccount(1, 73), consumedAccount(2, 74)] });
  const empty = slotUpdate(13);

  it('receives what is indexed from now on, in order, and a cursor after each slot', async () => {
    await persist(first);
    const client = await follow();
    await persist(complete, spend, empty);
    await client.waitForSlot(13);
    expect(client.story).toEqual(['transaction 11/0', 'transaction 11/1', 'transaction 12/0', 'transaction 12/1']);
    const slots = client.messages.filter(({ type }) => type === 'slot').map(({ slot }) => slot);
    expect(slots).toEqual([10, 11, 13]);
    expect(client.messages.every(({ cursor = '' }) => cursor.length <= 100)).toBe(true);
  });

  it('receives old slots, and then new ones', async () => {
    await persist(first, complete, spend);
    const client = await follow('all', { from: { slot: 11 } });
    await client.waitForSlot(12);
    await persist(empty, slotUpdate(14, { created: [createdAccount(5, null, 80)] }));
    await client.waitForSlot(14);
    const [opened] = client.messages;
    expect(client.story).toEqual([
      'transaction 11/0',
      'transaction 11/1',
      'transaction 12/0',
      'transaction 12/1',
      'transaction 14/0',
    ]);
    expect(opened).toMatchObject({ openedAccounts: [{ account: { hash: toBase58(testHash(1)) } }] });
  });

  it('has the accounts of getTransactionWithCompressionInfoV2', async () => {
    await persist(first, complete, spend);
    const client = await follow('all', { from: { slot: 10 } });
    await client.waitForSlot(12);
    for (const { type, signature, slot, openedAccounts, closedAccounts, ...rest } of client.messages) {
      if (type !== 'transaction') continue;
      const call = { jsonrpc: '2.0', id: 1, method: 'getTransactionWithCompressionInfoV2', params: { signature } };
      const response = await fetch(gateway.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(call),
      });
      const { result } = (await response.json()) as { result: { compressionInfo: object } };
      const { index, blockTime, ...balances } = rest as { index: number; blockTime: number };
      expect({ openedAccounts, closedAccounts, ...balances }).toEqual(result.compressionInfo);
      expect([index, blockTime]).toEqual([index, slot * 100]);
    }
  });

  it('has no accounts with details "signatures"', async () => {
    await persist(first);
    const client = await follow('all', { from: { slot: 10 }, details: 'signatures' });
    await client.waitForSlot(10);
    const [transaction] = client.messages;
    expect(Object.keys(transaction)).toEqual(['type', 'slot', 'index', 'signature', 'blockTime']);
  });

  it.each([
    [{ hashes: [toBase58(testHash(2))] }, ['11/1', '12/1']],
    [{ owners: [toBase58(Buffer.alloc(32, 0xb1))] }, ['10/0', '11/0', '11/1', '12/0', '12/1']],
    [{ tokenOwners: [toBase58(Buffer.alloc(32, 0xc1))] }, ['10/0', '11/0', '11/1', '12/0', '12/1']],
    [{ mints: [toBase58(Buffer.alloc(32, 0xa1))], delegates: null }, ['10/0', '11/0', '11/1', '12/0', '12/1']],
    [{ trees: [toBase58(TEST_STATE_TREE.tree)] }, ['10/0', '11/0', '11/1', '12/0', '12/1']],
    [{ trees: [toBase58(testHash(0x99))], hashes: [toBase58(testHash(9))] }, ['10/0']],
    [{ owners: [toBase58(testHash(0x99))] }, []],
  ])('receives what matches %j, old and new alike', async (filter, expected) => {
    await persist(first);
    const live = await follow(filter, { from: { slot: 10 } });
    await live.waitForSlot(10);
    await persist(complete, spend, empty);
    const old = await follow(filter, { from: { slot: 10 } });
    for (const client of [live, old]) {
      await client.waitForSlot(13);
      expect(client.story).toEqual(expected.map((place) => `transaction ${place}`));
    }
  });

  it('is told of a rollback, live and after it', async () => {
    await persist(first, complete);
    const live = await follow('all', { from: { slot: 10 } });
    await live.waitForSlot(11);
    const { cursor } = live;
    const cut = await follow('all', { from: { slot: 10 } });
    await cut.waitForSlot(11);
    cut.end();
    const other = slotUpdate(
      12,
      { created: [createdAccount(3, 1n, 75)] },
      {
        parentSlot: first.events.slot,
        parentBlockhash: first.events.blockhash,
        blockhash: testHash(0x33),
      },
    );
    await persist(revertOf(complete), other);
    await live.waitForSlot(12);
    const resumed = await follow('all', { from: cursor });
    await resumed.waitForSlot(12);
    expect(resumed.story).toEqual(['rollback 10', 'transaction 12/0']);
    expect(live.story).toEqual(['transaction 10/0', 'transaction 11/0', 'transaction 11/1', ...resumed.story]);
  });

  it('takes back also what a client received after its cursor', async () => {
    await persist(first);
    const client = await follow('all', { from: { slot: 10 } });
    await client.waitForSlot(10);
    const { cursor } = client;
    await persist(complete);
    await client.waitForSlot(11);
    await persist(revertOf(complete));
    const resumed = await follow('all', { from: cursor });
    await until(() => resumed.story.length > 0);
    expect(resumed.story).toEqual(['rollback 10']);
  });

  it('is told of transactions that are added to old slots, live and after it', async () => {
    await persist(first, incomplete, spend);
    const live = await follow('all', { from: { slot: 10 } });
    await live.waitForSlot(12);
    const { cursor } = live;
    const early = live.messages.find(({ type }) => type === 'slot')?.cursor;
    await persist(complete);
    await until(() => live.story.length === 6);
    const resumed = await follow('all', { from: cursor });
    await until(() => resumed.story.length === 2);
    expect(resumed.story).toEqual(['amended 11/1', 'amended 12/1']);
    expect(live.story.slice(-2)).toEqual(resumed.story);
    // What comes after the cursor may have been received before it was amended.
    const again = await follow('all', { from: early });
    await again.waitForSlot(12);
    expect(again.story).toEqual([
      'rollback 10',
      'transaction 11/0',
      'transaction 11/1',
      'transaction 12/0',
      'transaction 12/1',
    ]);
  });

  const far = slotUpdate(
    50,
    { created: [createdAccount(4, 1n, 76)] },
    { parentSlot: first.events.slot, parentBlockhash: first.events.blockhash },
  );

  it.each([
    ['a slot that both have', { blockhash: testHash(50) }, 50],
    ['another block', { blockhash: testHash(0x77) }, 18],
    ['a block that is not known', { blockhash: null }, 18],
  ])('continues from the cursor of another index at %s', async (_, { blockhash }, slot) => {
    await persist(first, far, slotUpdate(51));
    const from = encodePushCursor({ slot: 50, revision: 3, indexId: Buffer.alloc(16, 7), blockhash });
    const client = await follow('all', { from });
    await client.waitForSlot(51);
    expect(client.story).toEqual([`rollback ${slot}`, ...(slot < 50 ? ['transaction 50/0'] : [])]);
  });

  it('of another index is refused if this index begins later', async () => {
    await persist(first, complete);
    const from = encodePushCursor({ slot: 12, revision: 0, indexId: Buffer.alloc(16, 7), blockhash: null });
    const client = await connect();
    expect(await client.subscribe('all', { from })).toMatchObject({
      error: { code: -32000, message: 'The first slot of the index is 10' },
    });
  });

  it('does not believe a cursor of this index that names another block', async () => {
    await persist(first, far);
    const [{ id }] = await database.dataSource.query<{ id: string }[]>(`SELECT index_id AS id FROM indexer_state`);
    const indexId = Buffer.from(id.replaceAll('-', ''), 'hex');
    const from = encodePushCursor({ slot: 50, revision: 0, indexId, blockhash: testHash(0x55) });
    const client = await follow('all', { from });
    await client.waitForSlot(50);
    expect(client.story).toEqual(['rollback 18', 'transaction 50/0']);
  });

  it.each([
    ['was built anew', `UPDATE indexer_state SET index_id = gen_random_uuid()`],
    // A failover has lost the revert. The next revision, with the same number, is another change.
    ['has lost a revision', `UPDATE indexer_state SET revision = 0; DELETE FROM revisions`],
  ])('has to begin again when the index %s', async (_, change) => {
    await persist(first, complete);
    const client = await follow('all', { from: { slot: 11 } });
    await client.waitForSlot(11);
    await persist(revertOf(complete));
    await until(() => client.story.includes('rollback 10'));
    await database.dataSource.query(change);
    await until(() => client.closed !== null);
    expect(client.closed).toEqual({ code: 1012, reason: client.cursor });
    const resumed = await follow('all', { from: client.cursor });
    await persist(
      slotUpdate(
        12,
        { created: [createdAccount(3, 1n, 75)] },
        { parentSlot: first.events.slot, parentBlockhash: first.events.blockhash },
      ),
    );
    await resumed.waitForSlot(12);
    expect(resumed.story).toEqual(['rollback 10', 'transaction 12/0']);
  });

  it.each([
    ['an unknown member', [{ owner: [] }]],
    ['a filter without a value', [{ owners: [] }]],
    ['no filter', []],
    ['an object', {}],
    ['another text', ['every']],
    ['a malformed value', [{ mints: ['x'] }]],
    ['too many values', [{ mints: Array(1_001).fill(toBase58(testHash(1))) }]],
    ['an unknown option', ['all', { since: 1 }]],
    ['other details', ['all', { details: 'all' }]],
    ['a cursor that is none', ['all', { from: 'x' }]],
    ['a negative slot', ['all', { from: { slot: -1 } }]],
    ['three params', ['all', {}, {}]],
  ])('is refused with %s', async (_, params) => {
    await persist(first);
    const client = await connect();
    expect(await client.call('compressionSubscribe', params)).toMatchObject({ error: { code: -32602 } });
  });

  it('is refused with a cursor that was changed', async () => {
    await persist(first);
    const client = await follow();
    await client.waitForSlot(10);
    const { cursor } = client;
    for (const at of [0, 20, cursor.length - 1]) {
      const changed = `${cursor.slice(0, at)}${cursor[at] === '2' ? '3' : '2'}${cursor.slice(at + 1)}`;
      expect(await client.subscribe('all', { from: changed })).toMatchObject({ error: { code: -32602 } });
    }
  });

  it('is refused before the first slot of the index and after the indexed one', async () => {
    const client = await connect();
    expect(await client.subscribe('all')).toMatchObject({ error: { code: -32000 } });
    await persist(first);
    expect(await client.subscribe('all', { from: { slot: 9 } })).toMatchObject({
      error: { code: -32000, message: 'The first slot of the index is 10' },
    });
    expect(await client.subscribe('all', { from: { slot: 11 } })).toMatchObject({
      error: { code: -32000, message: 'The indexed slot is 10' },
    });
  });

  it('ends when the client says so', async () => {
    await persist(first);
    const client = await follow();
    expect(await client.subscribe('all')).toMatchObject({ result: 2 });
    expect(await client.call('compressionUnsubscribe', [1])).toMatchObject({ result: true });
    expect(await client.call('compressionUnsubscribe', [1])).toMatchObject({ result: false });
    await persist(complete);
    await client.waitForSlot(11);
    expect(client.story).toEqual(['transaction 11/0', 'transaction 11/1']);
  });

  it('is refused beyond the limits of the connection, which is closed if the client goes on', async () => {
    await persist(first);
    const client = await follow();
    const mints = Array<string>(MAX_VALUES).fill(toBase58(testHash(1)));
    expect(await client.subscribe({ mints })).toMatchObject({ result: 2 });
    const refusal = { error: { code: -32005 } };
    expect(await client.subscribe({ mints: mints.slice(0, 1) })).toMatchObject(refusal);
    expect(await client.call('compressionUnsubscribe', [2])).toMatchObject({ result: true });
    for (let id = 3; id <= MAX_SUBSCRIPTIONS + 1; id++)
      expect(await client.subscribe('all')).toMatchObject({ result: id });
    expect(await client.subscribe({ mints })).toMatchObject(refusal);
    const call = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'compressionSubscribe', params: ['all'] });
    for (let count = 0; count < 98; count++) client.socket.send(call);
    await until(() => client.closed !== null);
    expect(client.closed).toEqual({ code: 4029, reason: '' });
  });

  it('is closed with its newest cursor when the gateway ends', async () => {
    await persist(first);
    const ending = await startTestGateway({ databaseUrl: database.url });
    const client = await connect(ending.url);
    await client.subscribe('all');
    await persist(complete);
    await client.waitForSlot(11);
    await ending.close();
    await until(() => client.closed !== null);
    expect(client.closed).toEqual({ code: 1012, reason: client.cursor });
    const resumed = await follow('all', { from: client.cursor });
    await persist(spend);
    await resumed.waitForSlot(12);
    expect(resumed.story).toEqual(['transaction 12/0', 'transaction 12/1']);
  });
});
