import { be32, MAX_U64, toBase58, toHash, toPubkey } from '@fresnel/domain/primitives';
import { RpcChecker, startTestGateway, type TestGateway } from '@fresnel/testing/gateway';
import {
  createTestDatabase,
  insertAccount,
  insertTree,
  listUnspentAccounts,
  setIndexedSlot,
  type TestDatabase,
} from '@fresnel/testing/store';

const SLOT = 500;
const key = (byte: number) => toPubkey(Buffer.alloc(32, byte));
const hash = (byte: number) => toHash(Buffer.alloc(32, byte));
const text = (bytes: Buffer) => toBase58(bytes);

const V1_TREE = { tree: key(0x31), queue: key(0x32), treeType: 1 };
const V2_TREE = { tree: key(0x33), queue: key(0x34), treeType: 3, appendedLeaves: 10 };
const OWNER = key(0x41);
const TOKEN_OWNER = key(0x42);
const MINT = key(0x43);
const UNKNOWN = text(key(0xee));

const IN_V1 = hash(1);
const IN_V2 = hash(2);
const QUEUED = hash(3);
const SPENT = hash(4);
const LATER = hash(5);
const TOKENS = hash(6);
const ADDRESS = be32(0xaddd);
const SPENT_ADDRESS = be32(0xaddd + 1);
const TOKEN_ADDRESS = be32(0xaddd + 2);

const EMPTY_KEYS = { context: { slot: SLOT }, value: { items: [] } };
const invalid = (reason: string) => ({ code: -32602, message: `Invalid params: ${reason}` });

describe('the methods for accounts and balances', () => {
  let database: TestDatabase;
  let gateway: TestGateway;
  const rpc = new RpcChecker(() => gateway.url);

  beforeAll(async () => {
    database = await createTestDatabase();
    await seed(database);
    gateway = await startTestGateway({ databaseUrl: database.url });
  });
  afterAll(async () => {
    await gateway.close();
    await database.drop();
  });

  describe.each(['getMultipleCompressedAccounts', 'getMultipleCompressedAccountsV2'])('%s', (method) => {
    /** The hashes of the accounts found, null for each that is not. */
    async function find(params: unknown): Promise<(string | null)[]> {
      const { context, value } = (await rpc.result(method, params)) as {
        context: object;
        value: { items: ({ hash: string } | null)[] };
      };
      expect(context).toEqual({ slot: SLOT });
      return value.items.map((account) => account && account.hash);
    }

    it.each([
      ['hashes', [QUEUED, IN_V1, IN_V2], [QUEUED, IN_V1, IN_V2]],
      ['duplicates', [IN_V1, SPENT, IN_V1], [IN_V1, null, IN_V1]],
      ['an account that is spent, not indexed yet or unknown', [SPENT, LATER, hash(0xee)], [null, null, null]],
    ])('finds %s in the order of the request', async (_, hashes, expected) => {
      expect(await find({ hashes: hashes.map(text) })).toEqual(expected.map((found) => found && text(found)));
    });

    it('finds addresses', async () => {
      const addresses = [UNKNOWN, text(TOKEN_ADDRESS), text(ADDRESS), text(SPENT_ADDRESS)];
      expect(await find({ hashes: null, addresses })).toEqual([null, text(TOKENS), text(IN_V1), null]);
    });

    it('accepts up to 1000 accounts, and none', async () => {
      expect(await find({ hashes: Array<string>(1000).fill(text(IN_V1)) })).toEqual(Array(1000).fill(text(IN_V1)));
      expect(await rpc.result(method, { hashes: [] })).toEqual(EMPTY_KEYS);
      expect(await rpc.result(method, { addresses: [] })).toEqual(EMPTY_KEYS);
    });

    it.each([
      [{}, 'hashes or addresses is required'],
      [{ hashes: null, addresses: null }, 'hashes or addresses is required'],
      [{ hashes: [], addresses: [] }, 'hashes and addresses must not both be given'],
      [{ hashes: [UNKNOWN, 'abc'] }, 'hashes[1] must be a hash (base58 of 32 bytes)'],
      [{ addresses: [null] }, 'addresses[0] must be a hash (base58 of 32 bytes)'],
      [{ hashes: UNKNOWN }, 'hashes must be an array'],
      [{ hashes: Array<string>(1001).fill(UNKNOWN) }, 'hashes must contain at most 1000 items, not 1001'],
      [{ hashes: [], limit: 1 }, 'params has an unknown member "limit"'],
      [[UNKNOWN], 'params must be an object with hashes, addresses'],
      [undefined, 'params must be an object with hashes, addresses'],
    ])('rejects malformed params: %#', async (params, reason) => {
      expect(await rpc.errorOf(method, params)).toEqual(invalid(reason));
    });
  });

  it('getMultipleCompressedAccountsV2 returns how accounts are proven', async () => {
    const hashes = [IN_V1, IN_V2, QUEUED].map(text);
    expect(await rpc.result('getMultipleCompressedAccountsV2', { hashes })).toMatchObject({
      value: {
        items: [
          { proveByIndex: false, merkleContext: { treeType: 1, tree: text(V1_TREE.tree) }, seq: 8 },
          { proveByIndex: false, merkleContext: { treeType: 3, tree: text(V2_TREE.tree) }, seq: null },
          { proveByIndex: true, merkleContext: { treeType: 3, queue: text(V2_TREE.queue) }, seq: null },
        ],
      },
    });
  });

  describe.each([
    ['getCompressedAccountBalance', (amount: string) => amount, MAX_U64],
    ['getCompressedBalance', (amount: string) => amount, MAX_U64],
    ['getCompressedTokenAccountBalance', (amount: string) => `{"amount":${amount}}`, 0n],
  ] as const)('%s', (method, valueOf, amount) => {
    it.each([
      ['a hash', { hash: text(IN_V1) }, amount],
      ['an address', { hash: null, address: text(ADDRESS) }, amount],
      ['a spent account', { hash: text(SPENT) }, 0n],
      ['the address of a spent account', { address: text(SPENT_ADDRESS) }, 0n],
      ['an account that is not indexed yet', { hash: text(LATER) }, 0n],
      ['an unknown hash', { hash: UNKNOWN }, 0n],
      ['an unknown address', { address: UNKNOWN }, 0n],
    ])('returns the balance of %s with every digit', async (_, params, expected) => {
      const { text: body } = await rpc.call(method, params);
      expect(body).toContain(`"result":{"context":{"slot":${SLOT}},"value":${valueOf(String(expected))}}`);
    });

    it.each([
      [{}, 'hash or address is required'],
      [{ hash: text(IN_V1), address: text(ADDRESS) }, 'hash and address must not both be given'],
      [{ address: 5 }, 'address must be a hash (base58 of 32 bytes)'],
      [{ owner: text(OWNER) }, 'params has an unknown member "owner"'],
    ])('rejects %j', async (params, reason) => {
      expect(await rpc.errorOf(method, params)).toEqual(invalid(reason));
    });
  });

  it.each([
    ['hash', TOKENS],
    ['address', TOKEN_ADDRESS],
  ])('getCompressedTokenAccountBalance returns the tokens of an account by %s', async (by, value) => {
    const { text: body } = await rpc.call('getCompressedTokenAccountBalance', { [by]: text(value) });
    expect(body).toContain('"value":{"amount":18446744073709551615}');
  });

  it('getCompressedTokenAccountBalance does not find accounts by their token owner', async () => {
    expect(await rpc.result('getCompressedTokenAccountBalance', { address: text(TOKEN_OWNER) })).toMatchObject({
      value: { amount: 0 },
    });
  });

  describe('getCompressedBalanceByOwner', () => {
    const method = 'getCompressedBalanceByOwner';

    it.each([
      ['with every digit', text(OWNER), MAX_U64],
      ['of an owner without lamports', text(TOKEN_OWNER), 0n],
      ['of an unknown owner', UNKNOWN, 0n],
    ])('returns the lamports of unspent accounts %s', async (_, owner, expected) => {
      const { text: body } = await rpc.call(method, { owner });
      expect(body).toContain(`"result":{"context":{"slot":${SLOT}},"value":${expected}}`);
    });

    it.each([
      [{}, 'owner is required'],
      [{ owner: null }, 'owner is required'],
      [{ owner: 'abc' }, 'owner must be a public key (base58 of 32 bytes)'],
      [{ owner: UNKNOWN, limit: 1 }, 'params has an unknown member "limit"'],
      [[UNKNOWN], 'params must be an object with owner'],
    ])('rejects %j', async (params, reason) => {
      expect(await rpc.errorOf(method, params)).toEqual(invalid(reason));
    });
  });
});

async function seed({ dataSource }: TestDatabase): Promise<void> {
  await setIndexedSlot(dataSource, SLOT);
  for (const tree of [V1_TREE, V2_TREE]) await insertTree(dataSource, tree);
  const plain = { owner: OWNER, lamports: '0', slot_created: 400 };
  const inV1 = { ...plain, tree: V1_TREE.tree, leaf_index: 7, seq: '8' };
  const inV2 = { ...plain, tree: V2_TREE.tree };
  const withData = { discriminator: Buffer.alloc(8, 0xff), data: Buffer.from([1, 2, 3]), data_hash: hash(0x51) };
  await insertAccount(dataSource, {
    ...inV1,
    ...withData,
    hash: IN_V1,
    lamports: MAX_U64.toString(),
    address: ADDRESS,
  });
  await insertAccount(dataSource, { ...inV1, hash: SPENT, lamports: '7', address: SPENT_ADDRESS, spent_slot: 401 });
  await insertAccount(dataSource, { ...inV2, hash: IN_V2, leaf_index: 7 });
  await insertAccount(dataSource, { ...inV2, hash: QUEUED, leaf_index: 10 });
  await insertAccount(dataSource, {
    ...inV1,
    ...withData,
    hash: TOKENS,
    owner: MINT,
    address: TOKEN_ADDRESS,
    mint: MINT,
    token_owner: TOKEN_OWNER,
    amount: MAX_U64.toString(),
    is_frozen: false,
  });
  await listUnspentAccounts(dataSource);
  await insertAccount(dataSource, { ...inV1, hash: LATER, lamports: '9', slot_created: SLOT + 1 });
}
