import { type Hash, MAX_U64, type Pubkey, toBase58, toHash, toPubkey } from '@fresnel/domain/primitives';
import { readAllPages, RpcChecker, startTestGateway, type TestGateway } from '@fresnel/testing/gateway';
import {
  createTestDatabase,
  insertAccount,
  insertHolders,
  insertTree,
  listUnspentAccounts,
  setIndexedSlot,
  type TestDatabase,
} from '@fresnel/testing/store';

const SLOT = 500;
const key = (byte: number) => toPubkey(Buffer.alloc(32, byte));
const text = (bytes: Buffer) => toBase58(bytes);

const V1_TREE = { tree: key(0x31), queue: key(0x32), treeType: 1 };
const V2_TREE = { tree: key(0x33), queue: key(0x34), treeType: 3, appendedLeaves: 10 };
const PROGRAM = key(0x40);
const OWNER = key(0x41);
const OTHER_OWNER = key(0x42);
const DELEGATE = key(0x43);
const MINT_1 = key(0x51);
const MINT_2 = key(0xf2);
const UNKNOWN = text(key(0xee));

interface Seed {
  hash: Hash;
  mint: Pubkey;
  owner: Pubkey;
  delegate: Pubkey | null;
  amount: bigint;
  tree: typeof V1_TREE;
  leafIndex: number;
  spentSlot?: number;
  createdSlot?: number;
}

const seedOf = (byte: number, mint: Pubkey, more: Partial<Seed> = {}): Seed => ({
  hash: toHash(Buffer.alloc(32, byte)),
  mint,
  owner: OWNER,
  delegate: null,
  amount: BigInt(byte),
  tree: V1_TREE,
  leafIndex: 100 - byte,
  ...more,
});

const SEEDS = [
  seedOf(3, MINT_2, { delegate: DELEGATE, tree: V2_TREE, leafIndex: 10 }),
  seedOf(9, MINT_1, { delegate: DELEGATE, amount: MAX_U64 }),
  seedOf(1, MINT_2, { tree: V2_TREE, leafIndex: 9 }),
  seedOf(7, MINT_1),
  seedOf(200, MINT_1, { delegate: OWNER, leafIndex: 1 }),
  seedOf(5, MINT_2, { owner: OTHER_OWNER, delegate: DELEGATE }),
];
const HIDDEN = [
  seedOf(11, MINT_1, { delegate: DELEGATE, spentSlot: 401 }),
  seedOf(12, MINT_2, { delegate: DELEGATE, createdSlot: SLOT + 1 }),
];

const inOrder = (seeds: readonly Seed[]) =>
  [...seeds].sort((a, b) => a.mint.compare(b.mint) || a.hash.compare(b.hash)).map(({ hash }) => text(hash));
const ofOwner = SEEDS.filter(({ owner }) => owner.equals(OWNER));
const ofDelegate = SEEDS.filter(({ delegate }) => delegate?.equals(DELEGATE));

interface TokenAccountItem {
  account: { hash: string };
}
const hashOf = ({ account }: TokenAccountItem) => account.hash;

const invalid = (reason: string) => ({ code: -32602, message: `Invalid params: ${reason}` });

describe('the lists of tokens', () => {
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

  describe.each([
    ['getCompressedTokenAccountsByOwner', 'owner', OWNER, ofOwner],
    ['getCompressedTokenAccountsByOwnerV2', 'owner', OWNER, ofOwner],
    ['getCompressedTokenAccountsByDelegate', 'delegate', DELEGATE, ofDelegate],
    ['getCompressedTokenAccountsByDelegateV2', 'delegate', DELEGATE, ofDelegate],
  ] as const)('%s', (method, by, whose, seeds) => {
    const subject = { [by]: text(whose) };

    it.each([1, 2, 3, 1000])('lists unspent accounts by mint, then by hash, in pages of %d', async (limit) => {
      expect((await readAllPages<TokenAccountItem>(rpc, method, subject, limit)).map(hashOf)).toEqual(inOrder(seeds));
    });

    it.each([
      ['the first', MINT_1],
      ['the second', MINT_2],
    ])('lists the accounts of %s mint in pages of any size', async (_, mint) => {
      const expected = inOrder(seeds.filter((seed) => seed.mint.equals(mint)));
      for (const limit of [1, 2, 1000]) {
        const items = await readAllPages<TokenAccountItem>(rpc, method, { ...subject, mint: text(mint) }, limit);
        expect(items.map(hashOf)).toEqual(expected);
      }
    });

    it('accepts a cursor of another mint', async () => {
      const cursorAfter = (mint: Pubkey, byte: number) => text(Buffer.concat([mint, Buffer.alloc(32, byte)]));
      const page = (mint: Pubkey, cursor: string) =>
        readAllPages<TokenAccountItem>(rpc, method, { ...subject, mint: text(mint) }, 1000, cursor);
      expect(await page(MINT_1, cursorAfter(MINT_2, 0))).toEqual([]);
      expect(await page(MINT_2, cursorAfter(MINT_1, 0xff))).toHaveLength(
        seeds.filter(({ mint }) => mint.equals(MINT_2)).length,
      );
    });

    it('returns null for the cursor and the mint as if they were absent', async () => {
      expect(await rpc.result(method, { ...subject, mint: null, cursor: null, limit: null })).toEqual(
        await rpc.result(method, subject),
      );
    });

    it('lists nothing for an unknown key, an unknown mint, or a limit of 0', async () => {
      const empty = { context: { slot: SLOT }, value: { items: [], cursor: null } };
      expect(await rpc.result(method, { [by]: UNKNOWN })).toEqual(empty);
      expect(await rpc.result(method, { ...subject, mint: UNKNOWN })).toEqual(empty);
      expect(await rpc.result(method, { ...subject, limit: 0 })).toEqual(empty);
    });

    it.each([
      [{}, `${by} is required`],
      [{ [by]: 'abc' }, `${by} must be a public key (base58 of 32 bytes)`],
      [{ ...subject, mint: 5 }, 'mint must be a public key (base58 of 32 bytes)'],
      [{ ...subject, limit: 1001 }, 'limit must be an integer from 0 to 1000'],
      [{ ...subject, cursor: '' }, 'cursor must be the cursor of an earlier page of this method'],
      [{ ...subject, cursor: UNKNOWN }, 'cursor must be the cursor of an earlier page of this method'],
      [{ ...subject, hash: UNKNOWN }, 'params has an unknown member "hash"'],
      [[text(whose)], `params must be an object with ${by}, mint, cursor, limit`],
    ])('rejects %j', async (params, reason) => {
      expect(await rpc.errorOf(method, params)).toEqual(invalid(reason));
    });

    it('writes token data with every digit', async () => {
      const { text: body } = await rpc.call(method, subject);
      expect(body).toContain('"amount":18446744073709551615,');
    });
  });

  it('V1 items have the tree of an account, V2 items how it is proven', async () => {
    const params = { owner: text(OWNER), mint: text(MINT_2) };
    const tokenData = { mint: text(MINT_2), owner: text(OWNER), state: 'initialized', tlv: null };
    const tokens = [
      { ...tokenData, amount: 1, delegate: null },
      { ...tokenData, amount: 3, delegate: text(DELEGATE) },
    ];
    const tree = text(V2_TREE.tree);
    expect(await rpc.result('getCompressedTokenAccountsByOwner', params)).toMatchObject({
      value: { items: tokens.map((tokenData) => ({ account: { tree }, tokenData })) },
    });
    expect(await rpc.result('getCompressedTokenAccountsByOwnerV2', params)).toMatchObject({
      value: {
        items: [
          { account: { proveByIndex: false, merkleContext: { tree } }, tokenData: tokens[0] },
          { account: { proveByIndex: true, merkleContext: { tree } }, tokenData: tokens[1] },
        ],
      },
    });
  });

  describe.each([
    ['getCompressedTokenBalancesByOwner', 'token_balances'],
    ['getCompressedTokenBalancesByOwnerV2', 'items'],
  ])('%s', (method, list) => {
    const subject = { owner: text(OWNER) };
    const mints = [MINT_1, MINT_2].map(text);

    it.each([1, 2, 1000])('lists balances by mint in pages of %d', async (limit) => {
      const items = await readAllPages<{ mint: string }>(rpc, method, subject, limit, null, list);
      expect(items.map(({ mint }) => mint)).toEqual(mints);
    });

    it('writes every digit', async () => {
      const { text: body } = await rpc.call(method, subject);
      expect(body).toContain(
        `"value":{"${list}":[{"mint":"${mints[0]}","balance":18446744073709551615},{"mint":"${mints[1]}","balance":4}],"cursor":null}`,
      );
    });

    it('lists one mint, after the cursor', async () => {
      const params = { ...subject, mint: mints[1], limit: 1 };
      const page = { context: { slot: SLOT }, value: { [list]: [{ mint: mints[1], balance: 4 }], cursor: mints[1] } };
      expect(await rpc.result(method, params)).toEqual(page);
      expect(await rpc.result(method, { ...params, cursor: mints[0] })).toEqual(page);
      expect(await rpc.result(method, { ...params, cursor: mints[1] })).toMatchObject({ value: { [list]: [] } });
    });

    it('lists nothing for an unknown owner, an unknown mint, or a limit of 0', async () => {
      const empty = { context: { slot: SLOT }, value: { [list]: [], cursor: null } };
      expect(await rpc.result(method, { owner: UNKNOWN })).toEqual(empty);
      expect(await rpc.result(method, { ...subject, mint: UNKNOWN })).toEqual(empty);
      expect(await rpc.result(method, { ...subject, limit: 0 })).toEqual(empty);
    });

    it.each([
      [{}, 'owner is required'],
      [{ ...subject, mint: 'abc' }, 'mint must be a public key (base58 of 32 bytes)'],
      [{ ...subject, limit: -1 }, 'limit must be an integer from 0 to 1000'],
      [{ ...subject, cursor: '0OIl' }, 'cursor must be the cursor of an earlier page of this method'],
      [{ ...subject, delegate: UNKNOWN }, 'params has an unknown member "delegate"'],
    ])('rejects %j', async (params, reason) => {
      expect(await rpc.errorOf(method, params)).toEqual(invalid(reason));
    });
  });
});

async function seed({ dataSource }: TestDatabase): Promise<void> {
  await setIndexedSlot(dataSource, SLOT);
  for (const tree of [V1_TREE, V2_TREE]) await insertTree(dataSource, tree);
  const insert = (seed: Seed) =>
    insertAccount(dataSource, {
      hash: seed.hash,
      owner: PROGRAM,
      lamports: '0',
      slot_created: seed.createdSlot ?? 400,
      spent_slot: seed.spentSlot,
      tree: seed.tree.tree,
      leaf_index: seed.leafIndex,
      discriminator: Buffer.alloc(8, 2),
      data_hash: seed.hash,
      mint: seed.mint,
      token_owner: seed.owner,
      delegate: seed.delegate,
      amount: seed.amount.toString(),
      is_frozen: false,
    });
  const [spent, later] = HIDDEN;
  for (const each of [...SEEDS, spent]) await insert(each);
  await listUnspentAccounts(dataSource);
  await insert(later);
  await insertHolders(dataSource, MINT_1, [{ owner: OWNER, balance: MAX_U64 }]);
  await insertHolders(dataSource, MINT_2, [
    { owner: OWNER, balance: 4n },
    { owner: OTHER_OWNER, balance: 5n },
  ]);
}
