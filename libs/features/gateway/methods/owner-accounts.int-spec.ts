import { MAX_U64, toBase58, toHash, toPubkey, u64ToLittleEndian } from '@fresnel/domain/primitives';
import { readAllPages, RpcChecker, startTestGateway, type TestGateway } from '@fresnel/testing/gateway';
import {
  createTestDatabase,
  insertAccount,
  insertTree,
  listUnspentAccounts,
  setIndexedSlot,
  type TestDatabase,
} from '@fresnel/testing/store';

const SLOT = 500;
const MAX_INDEX = 2n ** 63n - 1n;
const key = (byte: number) => toPubkey(Buffer.alloc(32, byte));
const hash = (byte: number) => toHash(Buffer.alloc(32, byte));
const text = (bytes: Buffer) => toBase58(bytes);

const V1_TREE = { tree: key(0x31), queue: key(0x32), treeType: 1 };
const V2_TREE = { tree: key(0x33), queue: key(0x34), treeType: 3, appendedLeaves: 10 };
const OWNER = key(0x41);
const UNKNOWN = text(key(0xee));

interface Seed {
  byte: number;
  tree: typeof V1_TREE;
  leafIndex: number;
  data: number[] | null;
  slot?: number;
  spentSlot?: number;
}

/** In the order of the list: two trees have a leaf 7. */
const SEEDS: Seed[] = [
  { byte: 9, tree: V2_TREE, leafIndex: 0, data: [1, 2, 3] },
  { byte: 2, tree: V2_TREE, leafIndex: 7, data: [1, 2, 4] },
  { byte: 3, tree: V1_TREE, leafIndex: 7, data: [] },
  { byte: 1, tree: V2_TREE, leafIndex: 10, data: null },
  { byte: 8, tree: V1_TREE, leafIndex: 2 ** 31, data: [1, 9] },
];
const SPENT: Seed = { byte: 4, tree: V1_TREE, leafIndex: 1, data: [1, 2, 3], spentSlot: 401 };
const LATER: Seed = { byte: 5, tree: V1_TREE, leafIndex: 2, data: [1, 2, 3], slot: SLOT + 1 };
const ORDER = SEEDS.map(({ byte }) => text(hash(byte)));

interface AccountItem {
  hash: string;
  data: { data: string; dataHash: string; discriminator: number } | null;
}
const memcmp = (offset: number, ...bytes: number[]) => ({ memcmp: { offset, bytes: text(Buffer.from(bytes)) } });
const invalid = (reason: string) => ({ code: -32602, message: `Invalid params: ${reason}` });

describe('the lists of accounts by owner', () => {
  let database: TestDatabase;
  let gateway: TestGateway;
  const rpc = new RpcChecker(() => gateway.url);
  const owner = text(OWNER);

  beforeAll(async () => {
    database = await createTestDatabase();
    await seed(database);
    gateway = await startTestGateway({ databaseUrl: database.url });
  });
  afterAll(async () => {
    await gateway.close();
    await database.drop();
  });

  describe.each(['getCompressedAccountsByOwner', 'getCompressedAccountsByOwnerV2'])('%s', (method) => {
    const list = (more: object = {}, limit = 1000) => readAllPages<AccountItem>(rpc, method, { owner, ...more }, limit);
    const hashesOf = (items: readonly AccountItem[]) => items.map(({ hash }) => hash);
    const dataOf = (items: readonly AccountItem[]) =>
      items.map(({ data }) => data && [...Buffer.from(data.data, 'base64')]);

    it.each([1, 2, 3, 5, 1000])('lists unspent accounts by leaf index, then by hash, in pages of %d', async (limit) => {
      expect(hashesOf(await list({}, limit))).toEqual(ORDER);
    });

    it('lists nothing for an unknown owner, and for a limit of 0', async () => {
      const empty = { context: { slot: SLOT }, value: { items: [], cursor: null } };
      expect(await rpc.result(method, { owner: UNKNOWN })).toEqual(empty);
      expect(await rpc.result(method, { owner: UNKNOWN, filters: [memcmp(0, 1)] })).toEqual(empty);
      expect(await rpc.result(method, { owner, limit: 0 })).toEqual(empty);
    });

    it('accepts null as absent', async () => {
      const params = { owner, filters: null, dataSlice: null, cursor: null, limit: null };
      expect(await rpc.result(method, params)).toEqual(await rpc.result(method, { owner }));
    });

    it.each([
      ['the first bytes', [memcmp(0, 1, 2)], [9, 2]],
      ['bytes at an offset', [memcmp(2, 4)], [2]],
      ['bytes at the end', [memcmp(1, 9)], [8]],
      ['bytes beyond the end', [memcmp(1, 9, 0)], []],
      ['several filters', [memcmp(0, 1), memcmp(1, 2), memcmp(2, 3)], [9]],
      ['filters that contradict each other', [memcmp(0, 1), memcmp(0, 2)], []],
      ['empty bytes, which all data have', [{ memcmp: { offset: 0, bytes: '' } }], [9, 2, 3, 8]],
      ['the greatest offset', [memcmp(Number(MAX_U64), 1)], []],
      ['base58', [{ memcmp: { ...memcmp(0, 1, 2).memcmp, encoding: 'base58' } }], [9, 2]],
      ['no encoding, which is base58', [{ memcmp: { ...memcmp(0, 1, 2).memcmp, encoding: null } }], [9, 2]],
      ['base64', [{ memcmp: { offset: 0, bytes: 'AQI=', encoding: 'base64' } }], [9, 2]],
      ['no filter', [], [9, 2, 3, 1, 8]],
    ])('filters by %s, in pages of any size', async (_, filters, expected) => {
      for (const limit of [1, 2, 1000]) {
        expect(hashesOf(await list({ filters }, limit))).toEqual(expected.map((byte) => text(hash(byte))));
      }
    });

    it.each([
      [{ offset: 0, length: 2 }, [[1, 2], [1, 2], [], null, [1, 9]]],
      [{ offset: 1, length: 100 }, [[2, 3], [2, 4], [], null, [9]]],
      [{ offset: 3, length: 1 }, [[], [], [], null, []]],
      [{ offset: 0, length: 0 }, [[], [], [], null, []]],
      [{ offset: Number(MAX_U64), length: Number(MAX_U64) }, [[], [], [], null, []]],
    ])('returns the slice %j of the data only', async (dataSlice, expected) => {
      const [whole, sliced] = [await list(), await list({ dataSlice }, 2)];
      expect(dataOf(sliced)).toEqual(expected);
      const withoutBytes = ({ data, ...rest }: AccountItem) => ({ ...rest, data: data && { ...data, data: '' } });
      expect(sliced.map(withoutBytes)).toEqual(whole.map(withoutBytes));
    });

    it('compares filters with all data when it returns a slice', async () => {
      expect(dataOf(await list({ filters: [memcmp(2, 4)], dataSlice: { offset: 0, length: 1 } }))).toEqual([[1]]);
    });

    it('accepts a filter of 1024 bytes', async () => {
      expect(await list({ filters: [memcmp(0, ...Array<number>(1024).fill(255))] })).toEqual([]);
    });

    it('writes the discriminator with every digit', async () => {
      expect((await rpc.call(method, { owner, limit: 1 })).text).toContain('"discriminator":18446744073709551615,');
    });

    it.each([
      [MAX_INDEX, 0],
      [0n, 5],
    ])('accepts a cursor of leaf index %d', async (leafIndex, count) => {
      const cursor = text(Buffer.concat([u64ToLittleEndian(leafIndex), hash(0)]));
      expect(await readAllPages(rpc, method, { owner }, 1000, cursor)).toHaveLength(count);
      expect(await readAllPages(rpc, method, { owner, filters: [memcmp(0)] }, 1000, cursor)).toHaveLength(
        Math.max(0, count - 1),
      );
    });

    it.each([MAX_INDEX + 1n, MAX_U64])('rejects a cursor of leaf index %d', async (leafIndex) => {
      const cursor = text(Buffer.concat([u64ToLittleEndian(leafIndex), hash(0)]));
      expect(await rpc.errorOf(method, { owner, cursor })).toMatchObject({ code: -32602 });
    });

    const CURSOR = 'cursor must be the cursor of an earlier page of this method';
    const UNSIGNED = 'must be an unsigned 64-bit integer';
    it.each([
      [{}, 'owner is required'],
      [{ owner: 'abc' }, 'owner must be a public key (base58 of 32 bytes)'],
      [{ owner: UNKNOWN, limit: 1001 }, 'limit must be an integer from 0 to 1000'],
      [{ owner: UNKNOWN, limit: '1' }, 'limit must be an integer from 0 to 1000'],
      [{ owner: UNKNOWN, cursor: '' }, CURSOR],
      [{ owner: UNKNOWN, cursor: UNKNOWN }, CURSOR],
      [{ owner: UNKNOWN, address: UNKNOWN }, 'params has an unknown member "address"'],
      [{ owner: UNKNOWN, filters: {} }, 'filters must be an array'],
      [{ owner: UNKNOWN, filters: Array(6).fill(memcmp(0, 1)) }, 'filters must contain at most 5 items, not 6'],
      [{ owner: UNKNOWN, filters: [{}] }, 'filters[0].memcmp is required'],
      [{ owner: UNKNOWN, filters: [memcmp(0, 1), { memcmp: null }] }, 'filters[1].memcmp is required'],
      [{ owner: UNKNOWN, filters: [{ dataSize: 1 }] }, 'filters[0] has an unknown member "dataSize"'],
      [{ owner: UNKNOWN, filters: [{ memcmp: { bytes: '' } }] }, 'filters[0].memcmp.offset is required'],
      [{ owner: UNKNOWN, filters: [memcmp(-1, 1)] }, `filters[0].memcmp.offset ${UNSIGNED}`],
      [{ owner: UNKNOWN, filters: [memcmp(1.5, 1)] }, `filters[0].memcmp.offset ${UNSIGNED}`],
      [
        { owner: UNKNOWN, filters: [{ memcmp: { offset: 0, bytes: '0OIl' } }] },
        'filters[0].memcmp.bytes must be base58 of at most 1024 bytes',
      ],
      [
        { owner: UNKNOWN, filters: [{ memcmp: { ...memcmp(0, 1).memcmp, encoding: 'hex' } }] },
        'filters[0].memcmp.encoding must be base58 or base64',
      ],
      [
        { owner: UNKNOWN, filters: [{ memcmp: { offset: 0, bytes: 'AQI', encoding: 'base64' } }] },
        'filters[0].memcmp.bytes must be base64 of at most 1024 bytes',
      ],
      [
        { owner: UNKNOWN, filters: [memcmp(0, ...Array<number>(1025).fill(255))] },
        'filters[0].memcmp.bytes must be base58 of at most 1024 bytes',
      ],
      [{ owner: UNKNOWN, dataSlice: { offset: 0 } }, 'dataSlice.length is required'],
      [{ owner: UNKNOWN, dataSlice: { offset: 0, length: -1 } }, `dataSlice.length ${UNSIGNED}`],
      [{ owner: UNKNOWN, dataSlice: [0, 1] }, 'dataSlice must be an object with offset, length'],
      [[UNKNOWN], 'params must be an object with owner, filters, dataSlice, cursor, limit'],
      [null, 'params must be an object with owner, filters, dataSlice, cursor, limit'],
    ])('rejects malformed params: %#', async (params, reason) => {
      expect(await rpc.errorOf(method, params)).toEqual(invalid(reason));
    });
  });
});

async function seed({ dataSource }: TestDatabase): Promise<void> {
  await setIndexedSlot(dataSource, SLOT);
  for (const tree of [V1_TREE, V2_TREE]) await insertTree(dataSource, tree);
  const insert = ({ byte, tree, leafIndex, data, slot, spentSlot }: Seed) =>
    insertAccount(dataSource, {
      hash: hash(byte),
      owner: OWNER,
      lamports: '0',
      slot_created: slot ?? 400,
      spent_slot: spentSlot,
      tree: tree.tree,
      leaf_index: leafIndex,
      discriminator: data && Buffer.alloc(8, 0xff),
      data: data && Buffer.from(data),
      data_hash: data && hash(byte),
    });
  for (const each of [...SEEDS, SPENT]) await insert(each);
  await listUnspentAccounts(dataSource);
  await insert(LATER);
}
