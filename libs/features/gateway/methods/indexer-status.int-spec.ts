import { randomUUID } from 'node:crypto';
import { toTreeRow } from '@fresnel/adapters/store-schema';
import { ProjectionStore } from '@fresnel/adapters/store-write';
import { SLOT_EVENTS } from '@fresnel/contracts/messages';
import { type Pubkey, toBase58, toHash, toPubkey, toSlot } from '@fresnel/domain/primitives';
import { type TreeHead, type TreeType } from '@fresnel/domain/trees';
import { RpcChecker, startTestGateway, type TestGateway } from '@fresnel/testing/gateway';
import { postJson } from '@fresnel/testing/generic';
import { createdAccount, slotUpdate, testHash } from '@fresnel/testing/slots';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';

const SLOT = 10;
/** Unix seconds, after the clock: answers do not depend on the second. */
const LATER = 8_000_000_000;
const ROOT = toHash(Buffer.alloc(32, 0x77));
const key = (byte: number) => toPubkey(Buffer.alloc(32, byte));
const [STATE_V2, ADDRESS_V2, STATE_V1] = [key(0x33), key(0x34), key(0x35)];

function headOf(tree: Pubkey, type: TreeType, height: number, rest: Partial<TreeHead> = {}): TreeHead {
  const positions = { seq: 5n, queueEnd: 0n, inputQueueEnd: 0n, migratedSlot: toSlot(0) };
  const observed = { slot: toSlot(0), seq: 0n, nextIndex: 0n, queueEnd: 0n, inputQueueEnd: 0n, root: null };
  return {
    info: { tree, queue: key(0x36), type, height, rootHistoryCapacity: 100, owner: null, observed },
    ...positions,
    seen: positions,
    nextIndex: 7,
    root: ROOT,
    inputQueueStart: 0n,
    quarantineReason: null,
    changes: { count: 1, lastSlot: toSlot(SLOT - 9) },
    untrusted: null,
    ...rest,
  };
}

describe('the status', () => {
  let database: TestDatabase;
  let gateway: TestGateway;
  const rpc = new RpcChecker(() => gateway.url);
  beforeAll(async () => {
    database = await createTestDatabase();
    gateway = await startTestGateway({ databaseUrl: database.url });
  });
  beforeEach(async () => {
    await database.empty();
  });
  afterAll(async () => {
    await gateway.close();
    await database.drop();
  });

  async function persist(slot: number, blockTime = LATER): Promise<void> {
    const store = new ProjectionStore(database.dataSource);
    const key = { consumerGroup: 'projector', topic: SLOT_EVENTS.name, partition: 0 };
    const { epoch } = await store.claimPosition(key);
    await store.persistSlots({
      slots: [
        slotUpdate(slot, { created: [createdAccount(1, 5n, 1)] }),
        slotUpdate(
          slot + 1,
          {},
          { blockTime, deadLetters: [{ signature: null, index: 3, reasons: ['unread'], json: '{}' }] },
        ),
      ],
      chainTip: { slot: toSlot(slot + 6), seenAt: new Date() },
      position: { ...key, epoch, from: 0n, to: 2n },
    });
  }
  async function insertHead(table: string, head: TreeHead): Promise<void> {
    const bytesAsHex = (_: string, value: unknown) => (Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : value);
    const row = { ...toTreeRow(head), entry: randomUUID() };
    const columns = Object.keys(row).join(', ');
    const values = Object.fromEntries(Object.entries(row).map(([name, value]) => [name, bytesAsHex(name, value)]));
    await database.dataSource.query(
      `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM jsonb_populate_record(NULL::${table}, $1)`,
      [JSON.stringify(values)],
    );
  }
  async function insertPartition(slot: number, hasRefused = false): Promise<void> {
    await database.dataSource.query(`INSERT INTO tree_log (topic, generation) VALUES ('tree-updates', 0)`);
    await database.dataSource.query(
      `INSERT INTO tree_partitions (topic, partition, entry, slot, blocks, branch, has_refused)
       VALUES ('tree-updates', 0, gen_random_uuid(), $1, '', '{}', $2)`,
      [slot, hasRefused],
    );
  }
  const statusOf = async (tree: Pubkey) =>
    ((await rpc.result('getTreeStatus', { tree: toBase58(tree) })) as { value: unknown }).value;

  it('of an empty index is an error', async () => {
    const nothing = { code: -32000, message: 'Nothing is indexed yet' };
    expect(await rpc.errorOf('getIndexerStatus')).toMatchObject(nothing);
    expect(await rpc.errorOf('getTreeStatus', { tree: toBase58(STATE_V1) })).toMatchObject(nothing);
  });

  it('tells the progress of the index, and counts its trees', async () => {
    await persist(SLOT);
    await insertHead('state_trees', headOf(STATE_V1, 'stateV1', 26));
    await insertHead('address_trees', headOf(ADDRESS_V2, 'addressV2', 40, { quarantineReason: 'its root differs' }));
    await insertPartition(SLOT);
    expect(await rpc.result('getIndexerStatus')).toEqual({
      slot: SLOT + 1,
      blockhash: toBase58(testHash(SLOT + 1)),
      blockTime: LATER,
      chainSlot: SLOT + 6,
      lagSlots: 5,
      lagSeconds: 0,
      firstSlot: SLOT,
      attestedTo: null,
      version: 'development',
      trees: { served: 1, refused: 1 },
    });
  });

  it('tells the age of the newest block', async () => {
    const startedAt = Math.floor(Date.now() / 1000);
    await persist(SLOT, startedAt - 5_000);
    const { body } = await postJson(gateway.url, { jsonrpc: '2.0', id: 1, method: 'getIndexerStatus' });
    const { lagSeconds } = (body as { result: { lagSeconds: number } }).result;
    expect(lagSeconds).toBeGreaterThanOrEqual(5_000);
    expect(lagSeconds).toBeLessThanOrEqual(5_000 + Date.now() / 1000 - startedAt + 1);
  });

  it('tells up to which indexed slot a history source has attested all', async () => {
    await persist(SLOT);
    const insert = `INSERT INTO attested_ranges (from_slot, to_slot, source, transactions) VALUES (1, $1, 'file', 0)`;
    for (const [end, attestedTo] of [
      [SLOT - 2, SLOT - 2],
      [SLOT + 9, SLOT + 1],
    ]) {
      await database.dataSource.query(insert, [end]);
      expect(await rpc.result('getIndexerStatus')).toMatchObject({ attestedTo });
    }
  });

  it('tells dead letters and consumers only if the operator publishes them', async () => {
    await persist(SLOT);
    const open = await startTestGateway({ databaseUrl: database.url, GATEWAY_OPERATOR_STATUS: true });
    expect(await new RpcChecker(() => open.url).result('getIndexerStatus')).toMatchObject({
      deadLetters: [{ reason: 'unread', count: 1 }],
      consumers: [{ group: 'projector', topic: 'slot-events', partition: 0, slot: SLOT + 1, lagSlots: 5 }],
    });
    await open.close();
    const closed = (await rpc.result('getIndexerStatus')) as object;
    expect(closed).not.toHaveProperty('deadLetters');
    expect(closed).not.toHaveProperty('consumers');
  });

  it('of a tree has its root and queues', async () => {
    await persist(SLOT);
    const queues = { queueEnd: 2n ** 63n + 7n, inputQueueStart: 2n, inputQueueEnd: 6n };
    const seen = { ...queues, seq: 5n, migratedSlot: toSlot(0) };
    await insertHead('state_trees', headOf(STATE_V2, 'stateV2', 32, { ...queues, seen }));
    await insertHead('state_trees', headOf(STATE_V1, 'stateV1', 26));
    await insertPartition(SLOT - 2);
    const { text } = await rpc.call('getTreeStatus', { tree: toBase58(STATE_V2) });
    expect(text).toContain(`"context":{"slot":${SLOT + 1}}`);
    expect(text).toContain('"queueSize":9223372036854775808');
    expect(await statusOf(STATE_V2)).toMatchObject({
      tree: toBase58(STATE_V2),
      queue: toBase58(key(0x36)),
      type: 3,
      height: 32,
      capacity: 2 ** 32,
      nextIndex: 7,
      root: toBase58(ROOT),
      rootSeq: 5,
      slot: SLOT - 2,
      served: true,
      reason: null,
      queues: [{ queueType: 3, queueSize: 4 }, { queueType: 5 }],
    });
    expect(await statusOf(STATE_V1)).toMatchObject({ type: 1, capacity: 2 ** 26, served: true, queues: [] });
  });

  it('of an unknown tree is null', async () => {
    await persist(SLOT);
    await insertHead('state_trees', headOf(STATE_V1, 'stateV1', 26));
    expect(await rpc.result('getTreeStatus', { tree: toBase58(STATE_V2) })).toEqual({
      context: { slot: SLOT + 1 },
      value: null,
    });
  });

  it.each([undefined, [], {}, { tree: 'x' }, { tree: toBase58(STATE_V1), slot: 1 }])(
    'of a tree is refused with params %j',
    async (params) => {
      expect(await rpc.errorOf('getTreeStatus', params)).toMatchObject({ code: -32602 });
    },
  );

  it.each([
    ['it is quarantined', { quarantineReason: 'secret' }, {}, /is quarantined/],
    ['operations are missing', { seen: { ...headOf(STATE_V1, 'stateV1', 26).seen, seq: 9n } }, {}, /are missing/],
    ['its branch is not decided', {}, { hasRefused: true }, /two branches/],
    ['no slot of it is applied', {}, { hasPartition: false }, /No slot/],
    ['history lacks something', {}, { finding: 'root-differs' }, /its root is not one of the chain/],
  ])(
    'of a tree says why proofs are refused: %s',
    async (_, rest, { hasRefused, hasPartition, finding }: Refusal, why) => {
      await persist(SLOT);
      await insertHead('state_trees', headOf(STATE_V1, 'stateV1', 26, rest));
      if (hasPartition ?? true) await insertPartition(SLOT, hasRefused);
      if (finding) {
        const insert = `INSERT INTO history_findings (tree, reason, from_slot, to_slot) VALUES ($1, $2, 1, 2)`;
        await database.dataSource.query(insert, [STATE_V1, finding]);
      }
      expect(await statusOf(STATE_V1)).toMatchObject({ served: false, reason: expect.stringMatching(why) as unknown });
      expect(await rpc.result('getIndexerStatus')).toMatchObject({ trees: { served: 0, refused: 1 } });
    },
  );
});

interface Refusal {
  hasRefused?: boolean;
  hasPartition?: boolean;
  finding?: string;
}
