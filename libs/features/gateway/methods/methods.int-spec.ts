import { blockhashAt } from '@fresnel/testing/chain';
import {
  AddressExistsError,
  type NewAddressProofs,
  type ProverClient,
  ProverUnavailableError,
  TreeNotServableError,
  UnknownTreeError,
} from '@fresnel/adapters/prover-client';
import {
  be32,
  type Hash,
  MAX_U64,
  type Pubkey,
  toBase58,
  toHash,
  toPubkey,
  toSignature,
  u64ToLittleEndian,
  ZERO_HASH,
} from '@fresnel/domain/primitives';
import {
  RpcChecker,
  startTestGateway,
  TEST_ADDRESS_TREE,
  type TestGateway,
  UNEXPECTED_PROVER,
  packProofs,
} from '@fresnel/testing/gateway';
import { sendHttp } from '@fresnel/testing/generic';
import {
  createTestDatabase,
  insertAccount,
  insertHolders,
  insertSignatures,
  insertTransaction,
  insertTree,
  setIndexedSlot,
  type TestDatabase,
} from '@fresnel/testing/store';

const SLOT = 500;
const MAX_SLOT = 2n ** 63n - 1n;
const MAX_ADDRESS = 2n ** 248n - 1n;
const key = (byte: number) => toPubkey(Buffer.alloc(32, byte));
const hash = (byte: number) => toHash(Buffer.alloc(32, byte));
const signature = (byte: number) => toSignature(Buffer.alloc(64, byte));
const text = (bytes: Buffer) => toBase58(bytes);
const address = (value: bigint | number) => text(be32(value));

const V1_TREE = { tree: key(0x31), queue: key(0x32), treeType: 1 };
const V2_TREE = { tree: key(0x33), queue: key(0x34), treeType: 3, appendedLeaves: 10 };
const OTHER_TREE = key(0x35);
const OWNER = key(0x41);
const TOKEN_OWNER = key(0x42);
const MINT = key(0x43);

const ACCOUNTS = {
  unspent: hash(1),
  spent: hash(2),
  queued: hash(3),
  appended: hash(4),
  unknownBody: hash(5),
  frozen: hash(6),
  nullified: hash(7),
};
const ADDRESS = be32(0xaddd);
const OLD_ADDRESS = be32(0xaddd + 1);
const TRANSFER = signature(1);
const PROOF_CHECK = signature(2);

/** Has two trees. One address exists, one tree is unservable. */
class StubProver implements ProverClient {
  isReachable = true;
  readonly existing = be32(999);
  readonly proveLeaves = UNEXPECTED_PROVER.proveLeaves;
  readonly findQueues = UNEXPECTED_PROVER.findQueues;
  readonly findQueueElements = UNEXPECTED_PROVER.findQueueElements;

  proveNewAddresses(tree: Pubkey, addresses: readonly Hash[]): Promise<NewAddressProofs> {
    const error = this.errorFor(tree, addresses);
    if (error) return Promise.reject(error);
    const isDefault = tree.equals(TEST_ADDRESS_TREE);
    const height = isDefault ? 26 : 40;
    return Promise.resolve({
      slot: isDefault ? SLOT : SLOT - 3,
      blockhash: blockhashAt(isDefault ? SLOT : SLOT - 3),
      root: be32(isDefault ? 77 : 78),
      rootSeq: isDefault ? 3n : MAX_U64,
      ...packProofs(
        height,
        addresses.map((address) => ({
          address,
          lowerRangeAddress: ZERO_HASH,
          higherRangeAddress: be32(MAX_ADDRESS),
          lowElementLeafIndex: 0,
          nextIndex: 1,
          siblings: Array.from({ length: height }, (_, level) => be32(level)),
        })),
      ),
    });
  }

  private errorFor(tree: Pubkey, addresses: readonly Hash[]): Error | null {
    if (!this.isReachable) return new ProverUnavailableError('connect ECONNREFUSED 10.1.2.3:50051');
    if (tree.equals(V1_TREE.tree))
      return new TreeNotServableError('This address tree cannot be served: leaf 5 was never seen');
    if (!tree.equals(TEST_ADDRESS_TREE) && !tree.equals(OTHER_TREE)) return new UnknownTreeError(tree);
    return addresses.some((each) => each.equals(this.existing)) ? new AddressExistsError(this.existing) : null;
  }
}

describe('the methods', () => {
  let database: TestDatabase;
  let gateway: TestGateway;
  const prover = new StubProver();
  const rpc = new RpcChecker(() => gateway.url);

  beforeAll(async () => {
    database = await createTestDatabase();
    await seed(database);
    gateway = await startTestGateway({ databaseUrl: database.url, prover });
  });
  afterAll(async () => {
    await gateway.close();
    await database.drop();
  });

  const call = (method: string, params?: unknown) => rpc.call(method, params);
  const result = (method: string, params?: unknown) => rpc.result(method, params);
  const errorOf = (method: string, params?: unknown) => rpc.errorOf(method, params);
  const invalid = (reason: string) => ({ code: -32602, message: `Invalid params: ${reason}` });

  describe('getCompressedAccount', () => {
    const account = {
      hash: text(ACCOUNTS.unspent),
      address: text(ADDRESS),
      data: { discriminator: Number(MAX_U64), data: 'AQID', dataHash: text(hash(0x51)) },
      owner: text(OWNER),
      lamports: Number(MAX_U64),
      tree: text(V1_TREE.tree),
      leafIndex: 7,
      seq: 8,
      slotCreated: 400,
    };

    it('finds an account by hash and by address', async () => {
      expect(await result('getCompressedAccount', { hash: text(ACCOUNTS.unspent) })).toEqual({
        context: { slot: SLOT },
        value: account,
      });
      expect(await result('getCompressedAccount', { address: text(ADDRESS), hash: null })).toEqual({
        context: { slot: SLOT },
        value: account,
      });
    });

    it('writes every digit of 64-bit integers', async () => {
      const { text: body } = await call('getCompressedAccount', { hash: text(ACCOUNTS.unspent) });
      expect(body).toContain('"discriminator":18446744073709551615,');
      expect(body).toContain('"lamports":18446744073709551615,');
    });

    it.each([
      ['a spent account', { hash: text(ACCOUNTS.spent) }],
      ['the address of a spent account', { address: text(OLD_ADDRESS) }],
      ['an account whose body is unknown', { hash: text(ACCOUNTS.unknownBody) }],
      ['an unknown hash', { hash: text(hash(0xee)) }],
      ['an unknown address', { address: text(hash(0xee)) }],
    ])('returns null for %s', async (_, params) => {
      expect(await result('getCompressedAccount', params)).toEqual({ context: { slot: SLOT }, value: null });
      expect(await result('getCompressedAccountV2', params)).toEqual({ context: { slot: SLOT }, value: null });
    });

    it.each([
      [{}, 'hash or address is required'],
      [{ hash: null, address: null }, 'hash or address is required'],
      [{ hash: text(ACCOUNTS.unspent), address: text(ADDRESS) }, 'hash and address must not both be given'],
      [{ hash: 'not-base58-0OIl' }, 'hash must be a hash (base58 of 32 bytes)'],
      [{ hash: text(ACCOUNTS.unspent), foo: 1 }, 'params has an unknown member "foo"'],
      [[text(ACCOUNTS.unspent)], 'params must be an object with hash, address'],
      [null, 'params must be an object with hash, address'],
      [undefined, 'params must be an object with hash, address'],
    ])('rejects %j', async (params, reason) => {
      expect(await errorOf('getCompressedAccount', params)).toEqual(invalid(reason));
      expect(await errorOf('getCompressedAccountV2', params)).toEqual(invalid(reason));
    });

    it('rejects a member __proto__', async () => {
      const body = `{"jsonrpc":"2.0","id":1,"method":"getCompressedAccount","params":{"__proto__":{"hash":"x"}}}`;
      expect((await sendHttp(gateway.url, { body })).text).toContain('unknown member \\"__proto__\\"');
    });
  });

  describe('getCompressedAccountV2', () => {
    const merkleContext = (tree: typeof V1_TREE) => ({
      treeType: tree.treeType,
      tree: text(tree.tree),
      queue: text(tree.queue),
      cpiContext: null,
      nextTreeContext: null,
    });

    it.each([
      ['in the output queue', ACCOUNTS.queued, true, V2_TREE],
      ['in its V2 tree', ACCOUNTS.appended, false, V2_TREE],
      ['in a V1 tree', ACCOUNTS.unspent, false, V1_TREE],
    ])('returns how an account %s is proven', async (_, accountHash, proveByIndex, tree) => {
      expect(await result('getCompressedAccountV2', { hash: text(accountHash) })).toMatchObject({
        value: { proveByIndex, merkleContext: merkleContext(tree), seq: tree === V1_TREE ? 8 : null },
      });
    });
  });

  describe('getTransactionWithCompressionInfo', () => {
    it('gives the transaction as the node wrote it, and the accounts in event order', async () => {
      const { text: body, result } = await call('getTransactionWithCompressionInfo', { signature: text(TRANSFER) });
      expect(body).toContain(`"transaction":${TRANSFER_JSON},`);
      expect(result).toMatchObject({
        compressionInfo: {
          closedAccounts: [
            { account: { hash: text(ACCOUNTS.spent) }, optionalTokenData: null },
            { account: { hash: text(ACCOUNTS.nullified) }, optionalTokenData: null },
          ],
          openedAccounts: [
            {
              account: { hash: text(ACCOUNTS.frozen), seq: null },
              optionalTokenData: {
                mint: text(MINT),
                owner: text(TOKEN_OWNER),
                delegate: text(OWNER),
                state: 'frozen',
                tlv: 'AQI=',
              },
            },
            { account: { hash: text(ACCOUNTS.unspent) }, optionalTokenData: null },
          ],
          postTokenBalances: [{ owner: text(TOKEN_OWNER), mint: text(MINT) }],
        },
      });
      expect(body.match(/"amount":18446744073709551615\b/g)).toHaveLength(4);
      expect(result).not.toHaveProperty('compressionInfo.preTokenBalances');
    });

    it('writes the compression info under two names', async () => {
      for (const method of ['getTransactionWithCompressionInfo', 'getTransactionWithCompressionInfoV2']) {
        const found = (await result(method, { signature: text(TRANSFER) })) as Record<string, unknown>;
        expect(Object.keys(found)).toEqual(['transaction', 'compressionInfo', 'compression_info']);
        expect(found.compression_info).toEqual(found.compressionInfo);
      }
    });

    it('has empty lists if no account was changed', async () => {
      expect(await result('getTransactionWithCompressionInfo', { signature: text(PROOF_CHECK) })).toMatchObject({
        compressionInfo: { closedAccounts: [], openedAccounts: [] },
      });
    });

    it.each(['getTransactionWithCompressionInfo', 'getTransactionWithCompressionInfoV2'])(
      '%s returns null for an unknown signature',
      async (method) => {
        const { text: body } = await call(method, { signature: text(signature(99)) });
        expect(body).toBe('{"jsonrpc":"2.0","id":"test-account","result":null}');
      },
    );

    it.each([
      [{ signature: 'abc' }, 'signature must be a signature (base58 of 64 bytes)'],
      [{}, 'signature is required'],
      [[text(TRANSFER)], 'params must be an object with signature'],
      [{ signature: text(TRANSFER), commitment: 'confirmed' }, 'params has an unknown member "commitment"'],
    ])('rejects %j', async (params, reason) => {
      expect(await errorOf('getTransactionWithCompressionInfo', params)).toEqual(invalid(reason));
      expect(await errorOf('getTransactionWithCompressionInfoV2', params)).toEqual(invalid(reason));
    });

    it('in V2 has the nullifiers of closed accounts, and opened accounts as they were created', async () => {
      const found = await result('getTransactionWithCompressionInfoV2', { signature: text(TRANSFER) });
      expect(found).toMatchObject({
        compressionInfo: {
          closedAccounts: [
            {
              account: { account: { hash: text(ACCOUNTS.spent) }, nullifier: text(ZERO_HASH), txHash: text(ZERO_HASH) },
            },
            {
              account: {
                account: { hash: text(ACCOUNTS.nullified), proveByIndex: false },
                nullifier: text(hash(0x61)),
                txHash: text(hash(0x62)),
              },
            },
          ],
          openedAccounts: [
            { account: { hash: text(ACCOUNTS.frozen), proveByIndex: true } },
            { account: { hash: text(ACCOUNTS.unspent), proveByIndex: false } },
          ],
        },
      });
    });
  });

  describe.each([
    ['getCompressionSignaturesForOwner', OWNER, 10],
    ['getCompressionSignaturesForTokenOwner', TOKEN_OWNER, 20],
  ] as const)('%s', (method, owner, first) => {
    const item = (byte: number, slot: number) => ({
      signature: text(signature(byte)),
      slot,
      blockTime: 1_700_000_000 + slot,
    });
    const items = [item(first + 2, 302), item(first + 1, 301), item(first, 301)];

    it('lists signatures by slot, then by their bytes, both descending', async () => {
      expect(await result(method, { owner: text(owner) })).toEqual({
        context: { slot: SLOT },
        value: { items, cursor: null },
      });
    });

    it('returns a cursor with every full page, also with the last', async () => {
      const cursor = text(Buffer.concat([u64ToLittleEndian(301n), signature(first)]));
      expect(await result(method, { owner: text(owner), limit: 3 })).toMatchObject({ value: { items, cursor } });
      expect(await result(method, { owner: text(owner), limit: 3, cursor })).toMatchObject({
        value: { items: [], cursor: null },
      });
    });

    it('lists nothing for an unknown owner', async () => {
      expect(await result(method, { owner: text(key(0xee)) })).toEqual({
        context: { slot: SLOT },
        value: { items: [], cursor: null },
      });
    });

    it('accepts a limit of 0', async () => {
      expect(await result(method, { owner: text(owner), limit: 0 })).toMatchObject({
        value: { items: [], cursor: null },
      });
    });

    it.each([
      [MAX_SLOT, 3],
      [0n, 0],
    ])('accepts a cursor of slot %d', async (slot, count) => {
      const cursor = text(Buffer.concat([u64ToLittleEndian(slot), signature(0)]));
      const { value } = (await result(method, { owner: text(owner), cursor })) as { value: { items: unknown[] } };
      expect(value.items).toHaveLength(count);
    });

    it.each([MAX_SLOT + 1n, MAX_U64])('rejects a cursor of slot %d, and still answers', async (slot) => {
      const cursor = text(Buffer.concat([u64ToLittleEndian(slot), signature(0)]));
      expect(await errorOf(method, { owner: text(owner), cursor })).toMatchObject({ code: -32602 });
      expect(await result(method, { owner: text(owner) })).toMatchObject({ value: { items } });
    });

    it.each([
      { limit: 1001 },
      { limit: -1 },
      { limit: 1.5 },
      { limit: '5' },
      { cursor: '' },
      { cursor: '0OIl' },
      { cursor: 5 },
    ])('rejects %j', async (page) => {
      expect(await errorOf(method, { owner: text(owner), ...page })).toMatchObject({ code: -32602 });
    });

    it('rejects an owner that is missing or malformed', async () => {
      expect(await errorOf(method, {})).toEqual(invalid('owner is required'));
      expect(await errorOf(method, { owner: 'abc' })).toMatchObject({ code: -32602 });
    });
  });

  describe('getCompressedMintTokenHolders', () => {
    const method = 'getCompressedMintTokenHolders';
    const mint = text(MINT);
    const order = [key(0x72), key(0x71), key(0x74), key(0x73)].map(text);
    const owners = (answer: unknown) =>
      (answer as { value: { items: { owner: string }[] } }).value.items.map(({ owner }) => owner);

    it('lists holders by balance, then by their keys, both descending, with every digit', async () => {
      const { text: body, result: answer } = await call(method, { mint });
      expect(owners(answer)).toEqual(order);
      expect(answer).toMatchObject({ context: { slot: SLOT }, value: { cursor: null } });
      expect([...body.matchAll(/"balance":(\d+)/g)].map(([, digits]) => digits)).toEqual([
        '18446744073709551615',
        '9223372036854775808',
        '5',
        '5',
      ]);
    });

    it('pages by any balance, also above 2^63', async () => {
      let cursor: string | null = null;
      const seen: string[] = [];
      do {
        const answer = await result(method, { mint, limit: 1, cursor });
        seen.push(...owners(answer));
        ({ cursor } = (answer as { value: { cursor: string | null } }).value);
      } while (cursor !== null);
      expect(seen).toEqual(order);
    });

    it('lists nothing for an unknown mint, and for a limit of 0', async () => {
      const empty = { context: { slot: SLOT }, value: { items: [], cursor: null } };
      expect(await result(method, { mint: text(key(0xee)) })).toEqual(empty);
      expect(await result(method, { mint, limit: 0 })).toEqual(empty);
    });

    it.each([
      { limit: 1001 },
      { cursor: '' },
      { cursor: text(Buffer.alloc(39, 1)) },
      { cursor: text(Buffer.alloc(41, 1)) },
    ])('rejects %j', async (page) => {
      expect(await errorOf(method, { mint, ...page })).toMatchObject({ code: -32602 });
    });
  });

  describe('getMultipleNewAddressProofs', () => {
    const method = 'getMultipleNewAddressProofs';

    it('proves each address in the order of the request, with duplicates', async () => {
      const requested = [address(5), address(3), address(5)];
      const answer = (await result(method, requested)) as { value: { address: string }[] };
      expect(answer).toMatchObject({ context: { slot: SLOT } });
      expect(answer.value.map(({ address }) => address)).toEqual(requested);
      expect(answer.value[1]).toEqual({
        address: address(3),
        lowerRangeAddress: '11111111111111111111111111111111',
        higherRangeAddress: '14uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofL',
        lowElementLeafIndex: 0,
        nextIndex: 1,
        merkleTree: text(TEST_ADDRESS_TREE),
        proof: Array.from({ length: 26 }, (_, level) => address(level)),
        root: address(77),
        rootSeq: 3,
      });
    });

    it('proves 1000 addresses in one call', async () => {
      const requested = Array.from({ length: 1000 }, (_, n) => address(n + 1000));
      expect(((await result(method, requested)) as { value: unknown[] }).value).toHaveLength(1000);
    });

    it.each([
      [[], 'params must contain 1 to 1000 addresses, not 0'],
      [Array<string>(1001).fill(address(1)), 'params must contain 1 to 1000 addresses, not 1001'],
      [{ addresses: [address(1)] }, 'params must be an array of addresses'],
      [[address(1), '0OIl'], 'params[1] must be a hash (base58 of 32 bytes)'],
      [[address(MAX_ADDRESS)], `address ${address(MAX_ADDRESS)} is out of range (derived addresses are below 2^248-1)`],
    ])('rejects malformed lists', async (params, reason) => {
      expect(await errorOf(method, params)).toEqual(invalid(reason));
    });

    it('rejects the whole request for one address that exists', async () => {
      expect(await errorOf(method, [address(5), address(999)])).toEqual({
        code: -32000,
        message: `Address ${address(999)} already exists`,
      });
    });

    it('rejects address 0, which exists in every tree', async () => {
      expect(await errorOf(method, [address(0)])).toEqual({
        code: -32000,
        message: 'Address 11111111111111111111111111111111 already exists',
      });
    });

    it('fails without details while the prover is unavailable', async () => {
      prover.isReachable = false;
      const { status, text: body } = await call(method, [address(5)]);
      prover.isReachable = true;
      expect([status, body]).toEqual([
        500,
        '{"jsonrpc":"2.0","id":"test-account","error":{"code":-32603,"message":"Internal error"}}',
      ]);
      expect(await result(method, [address(5)])).toMatchObject({ context: { slot: SLOT } });
    });
  });

  describe('getMultipleNewAddressProofsV2', () => {
    const method = 'getMultipleNewAddressProofsV2';
    const at = (tree: Buffer, value: number) => ({ address: address(value), tree: text(tree) });

    it('proves in several trees, of which one has not changed since before the indexed slot', async () => {
      const { result: answer, text: body } = await call(method, [
        at(OTHER_TREE, 1),
        at(TEST_ADDRESS_TREE, 2),
        at(OTHER_TREE, 3),
      ]);
      expect(answer).toMatchObject({
        context: { slot: SLOT },
        value: [
          { address: address(1), merkleTree: text(OTHER_TREE), root: address(78) },
          { address: address(2), merkleTree: text(TEST_ADDRESS_TREE), root: address(77) },
          { address: address(3), merkleTree: text(OTHER_TREE), root: address(78) },
        ],
      });
      expect(body).toContain('"rootSeq":18446744073709551615}');
    });

    it.each([
      ['an unknown tree', key(0xee), `Tree ${text(key(0xee))} is not known`],
      ['an unservable tree', V1_TREE.tree, 'This address tree cannot be served: leaf 5 was never seen'],
    ])('rejects %s', async (_, tree, message) => {
      expect(await errorOf(method, [at(TEST_ADDRESS_TREE, 1), at(tree, 2)])).toEqual({ code: -32000, message });
    });

    it.each([
      [[address(1)], 'params[0] must be an object with address, tree'],
      [[{ address: address(1) }], 'params[0].tree is required'],
      [[{ ...at(OTHER_TREE, 1), queue: null }], 'params[0] has an unknown member "queue"'],
    ])('rejects %j', async (params, reason) => {
      expect(await errorOf(method, params)).toEqual(invalid(reason));
    });
  });

  describe('getIndexerSlot and getIndexerHealth', () => {
    it.each([undefined, null, [], {}])('accept %j as no params', async (params) => {
      expect(await result('getIndexerSlot', params)).toBe(SLOT);
      expect(await result('getIndexerHealth', params)).toBe('ok');
    });

    it.each([[[1]], [{ a: 1 }], ['x']])('reject %j', async (params) => {
      expect(await errorOf('getIndexerSlot', params)).toEqual(invalid('this method has no parameters'));
      expect(await errorOf('getIndexerHealth', params)).toEqual(invalid('this method has no parameters'));
    });
  });
});

/** A JSON library would write the spacing and some numbers differently. */
const TRANSFER_JSON =
  '{"slot":400, "transaction":["AQ==","base64"],"meta":{"err":null,"fee":5000.0,"rewards":[{"rentEpoch":18446744073709551615}]},' +
  '"blockTime":1700000400,"version":"legacy"}';

async function seed({ dataSource }: TestDatabase): Promise<void> {
  await setIndexedSlot(dataSource, SLOT, { blockhash: blockhashAt(SLOT) });
  for (const tree of [V1_TREE, V2_TREE]) await insertTree(dataSource, tree);
  const plain = { owner: OWNER, lamports: '1', slot_created: 400 };
  const inV1 = { ...plain, tree: V1_TREE.tree, leaf_index: 7, seq: '8' };
  const inV2 = { ...plain, tree: V2_TREE.tree };
  await insertAccount(dataSource, {
    ...inV1,
    hash: ACCOUNTS.unspent,
    lamports: MAX_U64.toString(),
    address: ADDRESS,
    discriminator: Buffer.alloc(8, 0xff),
    data: Buffer.from([1, 2, 3]),
    data_hash: hash(0x51),
  });
  await insertAccount(dataSource, {
    ...inV1,
    hash: ACCOUNTS.spent,
    address: OLD_ADDRESS,
    spent_slot: 400,
  });
  await insertAccount(dataSource, { ...inV2, hash: ACCOUNTS.queued, leaf_index: 10 });
  await insertAccount(dataSource, { ...inV2, hash: ACCOUNTS.appended, leaf_index: 9 });
  await insertAccount(dataSource, {
    ...inV2,
    hash: ACCOUNTS.nullified,
    leaf_index: 8,
    spent_slot: 400,
    nullifier: hash(0x61),
    tx_hash: hash(0x62),
  });
  await insertAccount(dataSource, { hash: ACCOUNTS.unknownBody, spent_slot: 400 });
  await insertAccount(dataSource, {
    ...inV2,
    hash: ACCOUNTS.frozen,
    leaf_index: 3,
    mint: MINT,
    token_owner: TOKEN_OWNER,
    amount: MAX_U64.toString(),
    delegate: OWNER,
    is_frozen: true,
    tlv: Buffer.from([1, 2]),
  });
  await insertTransaction(dataSource, {
    signature: TRANSFER,
    slot: 400,
    json: TRANSFER_JSON,
    consumed: [ACCOUNTS.spent, ACCOUNTS.nullified],
    created: [ACCOUNTS.frozen, ACCOUNTS.unspent],
  });
  await insertTransaction(dataSource, { signature: PROOF_CHECK, slot: 401, json: TRANSFER_JSON });
  const rows = (first: number) =>
    [
      [first, 301],
      [first + 2, 302],
      [first + 1, 301],
    ].map(([byte, slot]) => ({ signature: signature(byte), slot, blockTime: 1_700_000_000 + slot }));
  await insertSignatures(dataSource, 'owner_signatures', OWNER, rows(10));
  await insertSignatures(dataSource, 'token_owner_signatures', TOKEN_OWNER, rows(20));
  await insertHolders(dataSource, MINT, [
    { owner: key(0x71), balance: 2n ** 63n },
    { owner: key(0x72), balance: MAX_U64 },
    { owner: key(0x73), balance: 5n },
    { owner: key(0x74), balance: 5n },
  ]);
}
