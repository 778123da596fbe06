import { MAX_U64, toBase58, toHash, toPubkey, toSignature, u64ToLittleEndian } from '@fresnel/domain/primitives';
import { readAllPages, RpcChecker, startTestGateway, type TestGateway } from '@fresnel/testing/gateway';
import {
  createTestDatabase,
  insertAccount,
  insertTransaction,
  insertTree,
  setIndexedSlot,
  type TestDatabase,
} from '@fresnel/testing/store';

const SLOT = 500;
const MAX_SLOT = 2n ** 63n - 1n;
const hash = (byte: number) => toHash(Buffer.alloc(32, byte));
const text = (bytes: Buffer) => toBase58(bytes);
/** Ids of test transactions follow from the slot if the signature begins with zeros. */
const signature = (slot: number) => toSignature(Buffer.alloc(64, slot % 256).fill(0, 0, 2));
const TREE = toPubkey(Buffer.alloc(32, 0x31));
const ADDRESS = hash(0x51);
const UNKNOWN = text(hash(0xee));

/** Created in slot 10, updated twice by a transaction in 20, once in 30, and again in a slot that is not indexed yet. */
const VERSIONS = [
  { hash: hash(1), slot_created: 10, spent_slot: 20 },
  { hash: hash(4), slot_created: 20, spent_slot: 20 },
  { hash: hash(2), slot_created: 20, spent_slot: 30 },
  { hash: hash(3), slot_created: 30, spent_slot: SLOT + 1 },
];
const [FIRST, , , LAST] = VERSIONS.map((version) => text(version.hash));
/** The transaction in slot 40 changes no account. */
const SLOTS = [10, 20, 30, 40, SLOT + 1];

const item = (slot: number) => ({ signature: text(signature(slot)), slot, blockTime: slot });
const cursorOf = (slot: bigint, last = signature(0)) => text(Buffer.concat([u64ToLittleEndian(slot), last]));
const CURSOR = 'cursor must be the cursor of an earlier page of this method';
const invalid = (reason: string) => ({ code: -32602, message: `Invalid params: ${reason}` });

describe('the lists of signatures', () => {
  let database: TestDatabase;
  let gateway: TestGateway;
  const rpc = new RpcChecker(() => gateway.url);

  beforeAll(async () => {
    database = await createTestDatabase();
    const { dataSource } = database;
    await setIndexedSlot(dataSource, SLOT);
    await insertTree(dataSource, { tree: TREE, queue: TREE, treeType: 1 });
    const body = { tree: TREE, owner: TREE, leaf_index: 1, lamports: 1, address: ADDRESS };
    for (const version of VERSIONS) await insertAccount(dataSource, { ...body, ...version });
    for (const slot of SLOTS) await insertTransaction(dataSource, { signature: signature(slot), slot, json: '{}' });
    gateway = await startTestGateway({ databaseUrl: database.url });
  });
  afterAll(async () => {
    await gateway.close();
    await database.drop();
  });

  describe('getCompressionSignaturesForAccount', () => {
    const method = 'getCompressionSignaturesForAccount';

    it.each([
      ['a spent account', FIRST, [item(20), item(10)]],
      ['an account whose consumption is not indexed yet', LAST, [item(30)]],
      ['an unknown account', UNKNOWN, []],
    ])('lists the consumption and the creation of %s', async (_, hash, items) => {
      expect(await rpc.result(method, { hash })).toEqual({ context: { slot: SLOT }, value: { items } });
    });

    it.each([
      [{}, 'hash is required'],
      [{ hash: 'abc' }, 'hash must be a hash (base58 of 32 bytes)'],
      [{ hash: UNKNOWN, limit: 1 }, 'params has an unknown member "limit"'],
      [[UNKNOWN], 'params must be an object with hash'],
    ])('rejects %j', async (params, reason) => {
      expect(await rpc.errorOf(method, params)).toEqual(invalid(reason));
    });
  });

  describe.each([
    ['getCompressionSignaturesForAddress', { address: text(ADDRESS) }, [30, 20, 10]],
    ['getLatestCompressionSignatures', {}, [40, 30, 20, 10]],
  ])('%s', (method, subject, slots) => {
    it.each([1, 2, 3, 4, 1000])('lists signatures from the newest, in pages of %d', async (limit) => {
      expect(await readAllPages(rpc, method, subject, limit)).toEqual(slots.map(item));
    });

    it('has a cursor of the slot and the signature of its last item', async () => {
      expect(await rpc.result(method, { ...subject, limit: 2 })).toEqual({
        context: { slot: SLOT },
        value: { items: slots.slice(0, 2).map(item), cursor: cursorOf(BigInt(slots[1]), signature(slots[1])) },
      });
    });

    it('accepts null as absent, and a limit of 0', async () => {
      expect(await rpc.result(method, { ...subject, cursor: null, limit: null })).toMatchObject({
        value: { items: slots.map(item), cursor: null },
      });
      expect(await rpc.result(method, { ...subject, limit: 0 })).toMatchObject({ value: { items: [], cursor: null } });
    });

    it.each([
      [MAX_SLOT, slots.length],
      [0n, 0],
    ])('accepts a cursor of slot %d', async (slot, count) => {
      expect(await readAllPages(rpc, method, subject, 1000, cursorOf(slot))).toHaveLength(count);
    });

    it.each([
      [{ cursor: cursorOf(MAX_SLOT + 1n) }, CURSOR],
      [{ cursor: cursorOf(MAX_U64) }, CURSOR],
      [{ cursor: '' }, CURSOR],
      [{ cursor: UNKNOWN }, CURSOR],
      [{ cursor: 5 }, CURSOR],
      [{ limit: 1001 }, 'limit must be an integer from 0 to 1000'],
      [{ limit: 0.5 }, 'limit must be an integer from 0 to 1000'],
      [{ owner: UNKNOWN }, 'params has an unknown member "owner"'],
    ])('rejects %j', async (params, reason) => {
      expect(await rpc.errorOf(method, { ...subject, ...params })).toEqual(invalid(reason));
    });
  });

  it('getCompressionSignaturesForAddress lists nothing for an unknown address, and requires one', async () => {
    const method = 'getCompressionSignaturesForAddress';
    expect(await rpc.result(method, { address: UNKNOWN })).toMatchObject({ value: { items: [], cursor: null } });
    expect(await rpc.errorOf(method, {})).toEqual(invalid('address is required'));
    expect(await rpc.errorOf(method, undefined)).toEqual(
      invalid('params must be an object with address, cursor, limit'),
    );
  });

  it.each([undefined, null, [], {}])('getLatestCompressionSignatures accepts params %j', async (params) => {
    expect(await rpc.result('getLatestCompressionSignatures', params)).toMatchObject({ value: { cursor: null } });
  });

  it('getLatestCompressionSignatures rejects a list of params', async () => {
    expect(await rpc.errorOf('getLatestCompressionSignatures', [1])).toEqual(
      invalid('params must be an object with cursor, limit'),
    );
  });
});
