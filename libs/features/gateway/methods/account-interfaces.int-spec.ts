import { NodeRpc } from '@fresnel/adapters/chain';
import { MAX_U64, type Pubkey, toBase58, toPubkey, u64ToLittleEndian } from '@fresnel/domain/primitives';
import { hashToField } from '@fresnel/domain/state';
import { sha256 } from '@fresnel/testing/address-trees';
import { FakeNode } from '@fresnel/testing/chain';
import { RpcChecker, startTestGateway, type TestGateway } from '@fresnel/testing/gateway';
import { captureLog } from '@fresnel/testing/generic';
import {
  type AccountRowToInsert,
  createTestDatabase,
  insertAccount,
  insertTree,
  listUnspentAccounts,
  setIndexedSlot,
  type TestDatabase,
} from '@fresnel/testing/store';

const SLOT = 500;
const NODE_SLOT = 600;
const key = (byte: number) => toPubkey(Buffer.alloc(32, byte));
const text = (bytes: Buffer) => toBase58(bytes);

const TREE = key(1);
const ADDRESS_TREE = key(2);
const [PROGRAM, TOKEN_PROGRAM, TOKEN_MINT, DELEGATE] = [3, 4, 5, 6].map(key);
/** What an address is, by name. */
const KEYS = {
  ...{ hot: 0x11, mint: 0x12, pda: 0x13, wallet: 0x14, ata: 0x15, both: 0x16, closed: 0x17, empty: 0x18 },
  ...{ placeholder: 0x41, gone: 0x42, holder: 0x43, mixed: 0x44 },
};
const of = (name: keyof typeof KEYS) => key(KEYS[name]);
const UNKNOWN = key(0x19);

const row = (hash: number, slot: number, more: AccountRowToInsert): AccountRowToInsert => ({
  hash: key(hash),
  slot_created: slot,
  tree: TREE,
  leaf_index: hash,
  owner: PROGRAM,
  lamports: '7',
  discriminator: Buffer.from('0102030405060708', 'hex'),
  data: Buffer.from('cold'),
  data_hash: key(9),
  ...more,
});
const tokenRow = (hash: number, slot: number, more: AccountRowToInsert) =>
  row(hash, slot, { owner: TOKEN_PROGRAM, mint: TOKEN_MINT, data: null, ...more });
/** What stays of an account that was decompressed. */
function placeholderRow(hash: number, name: keyof typeof KEYS) {
  const dataHash = sha256([of(name)]);
  dataHash[0] = 0;
  const discriminator = Buffer.from('ffffffffffffff00', 'hex');
  return row(hash, 450, { onchain_pubkey: of(name), discriminator, data: of(name), data_hash: dataHash });
}
const ACCOUNTS = [
  row(0x21, 100, { onchain_pubkey: of('mint'), lamports: MAX_U64.toString() }),
  row(0x22, 100, { address: hashToField(of('pda'), ADDRESS_TREE, PROGRAM) }),
  tokenRow(0x23, 90, { token_owner: of('wallet'), amount: '7', delegate: DELEGATE, is_frozen: true }),
  tokenRow(0x24, 100, { token_owner: of('ata'), ata_owner: of('wallet'), amount: '5', is_frozen: false }),
  row(0x25, 450, { onchain_pubkey: of('both') }),
  row(0x26, 450, { onchain_pubkey: of('closed') }),
  row(0x27, 450, { onchain_pubkey: of('empty'), discriminator: null, data: null, data_hash: null }),
  placeholderRow(0x28, 'placeholder'),
  placeholderRow(0x29, 'gone'),
  tokenRow(0x2a, 700, { token_owner: of('holder'), amount: '30', delegate: DELEGATE }),
  tokenRow(0x2b, 701, { token_owner: of('holder'), amount: '12', is_frozen: true }),
  tokenRow(0x2c, 700, { token_owner: of('mixed'), amount: '30' }),
  tokenRow(0x2d, 701, { token_owner: of('mixed'), amount: '12', mint: PROGRAM }),
];

interface Interface {
  key: string;
  account: { lamports: number; data: string; owner: string; rentEpoch: number; space: number };
  cold: { hash: string }[] | null;
}

/** Token data in the layout of the SPL token program, written by offsets. */
function splTokenAccount(
  owner: Pubkey,
  amount: bigint,
  delegate: Pubkey | null,
  state: number,
  delegatedAmount = 0n,
): string {
  const bytes = Buffer.alloc(165);
  TOKEN_MINT.copy(bytes, 0);
  owner.copy(bytes, 32);
  bytes.writeBigUInt64LE(amount, 64);
  bytes.writeUInt32LE(delegate ? 1 : 0, 72);
  delegate?.copy(bytes, 76);
  bytes.writeUInt8(state, 108);
  bytes.writeBigUInt64LE(delegatedAmount, 121);
  return bytes.toString('base64');
}

describe('accounts that are on the chain or compressed', () => {
  let database: TestDatabase;
  let node: FakeNode;
  let gateway: TestGateway;
  const { logger, lines } = captureLog();
  const rpc = new RpcChecker(() => gateway.url);
  const connect = (...urls: string[]) =>
    new NodeRpc(
      {
        urls: [...urls, node.url],
        timeoutMs: 4_000,
        maxResponseBytes: 50_000,
        concurrency: 4,
        commitment: 'confirmed',
        onAttempt: () => undefined,
      },
      logger,
    );

  beforeAll(async () => {
    database = await createTestDatabase();
    const { dataSource } = database;
    await insertTree(dataSource, { tree: TREE, queue: key(8), treeType: 3 });
    await insertTree(dataSource, { tree: ADDRESS_TREE, queue: ADDRESS_TREE, treeType: 4 });
    for (const account of ACCOUNTS) await insertAccount(dataSource, account);
    await listUnspentAccounts(dataSource);
    await setIndexedSlot(dataSource, SLOT);
    node = await FakeNode.start();
    for (const name of ['hot', 'both'] as const) {
      node.accounts.set(of(name), { owner: PROGRAM, data: Buffer.from('hot'), lamports: 9 });
    }
    node.accounts.set(of('closed'), { owner: PROGRAM, data: Buffer.from('hot'), lamports: 0 });
    gateway = await startTestGateway({ databaseUrl: database.url, node: connect(), logger });
  });
  beforeEach(() => {
    node.tip = NODE_SLOT;
    node.requests.length = 0;
    lines.length = 0;
  });
  afterAll(async () => {
    await gateway.close();
    await node.close();
    await database.drop();
  });

  const find = async (address: Pubkey) => {
    const result = (await rpc.result('getAccountInterface', { address: text(address) })) as { value: Interface | null };
    return result.value;
  };
  const hashesOf = (found: Interface | null) => found?.cold?.map(({ hash }) => hash) ?? null;
  const hot = { lamports: 9, data: Buffer.from('hot').toString('base64'), owner: text(PROGRAM), space: 3 };
  const coldData = Buffer.concat([Buffer.from('0102030405060708', 'hex'), Buffer.from('cold')]);
  const cold = { lamports: 7, data: coldData.toString('base64'), owner: text(PROGRAM), rentEpoch: 0, space: 12 };

  it('are found on the chain', async () => {
    expect(await find(of('hot'))).toEqual({
      key: text(of('hot')),
      account: { ...hot, executable: false, rentEpoch: 0 },
      cold: null,
    });
    const [{ params }] = node.requests;
    expect(params).toEqual([[text(of('hot'))], { commitment: 'confirmed', encoding: 'base64' }]);
  });

  it('are found on the chain by any endpoint, as of the slot of the one that has them', async () => {
    const behind = await FakeNode.start();
    behind.tip = NODE_SLOT + 9;
    const several = await startTestGateway({ databaseUrl: database.url, node: connect(behind.url), logger });
    const checker = new RpcChecker(() => several.url);
    const addresses = [of('hot'), UNKNOWN, of('both')].map(text);
    expect(await checker.result('getMultipleAccountInterfaces', { addresses })).toMatchObject({
      value: [{ account: hot }, null, { account: hot }],
    });
    node.tip = 449;
    expect(await checker.result('getAccountInterface', { address: text(of('both')) })).toMatchObject({
      value: { account: cold },
    });
    expect(await checker.result('getAccountInterface', { address: text(UNKNOWN) })).toMatchObject({ value: null });
    // The checker makes each of three calls in two forms.
    expect([behind, node].map((each) => each.requestsOf('getMultipleAccounts').length)).toEqual([12, 6]);
    await several.close();
    await behind.close();
  });

  it.each([
    ['that contain the key', 'mint', [0x21], { lamports: Number(MAX_U64) }],
    ['at an address that a program derived from the key', 'pda', [0x22], {}],
    ['without data', 'empty', [0x27], { data: '', space: 0 }],
  ] as const)('are found among compressed accounts %s', async (_, name, hashes, changes) => {
    const found = await find(of(name));
    expect(found).toMatchObject({ key: text(of(name)), account: { ...cold, ...changes } });
    expect(hashesOf(found)).toEqual(hashes.map((byte) => text(key(byte))));
  });

  it('have the form of the SPL token program if compressed accounts have tokens', async () => {
    const ofWallet = await find(of('wallet'));
    expect(ofWallet?.account).toMatchObject({
      data: splTokenAccount(of('wallet'), 12n, DELEGATE, 2, 7n),
      owner: text(TOKEN_PROGRAM),
      rentEpoch: 0,
      space: 165,
    });
    expect(hashesOf(ofWallet)).toEqual([0x24, 0x23].map((byte) => text(key(byte))));
    // The owner of an associated token account is its wallet.
    expect((await find(of('ata')))?.account.data).toBe(splTokenAccount(of('wallet'), 5n, null, 1));
  });

  it.each([
    ['the node is as new as the compressed account', 'both', 450, hot],
    ['the node is older', 'both', 449, cold],
    ['the account on the chain has no lamports', 'closed', NODE_SLOT, cold],
  ] as const)('are those of the newer side: %s', async (_, name, tip, account) => {
    node.tip = tip;
    const found = await find(of(name));
    expect(found).toMatchObject({ account });
    expect(found?.cold).toHaveLength(1);
  });

  it('are on the chain alone if they were decompressed', async () => {
    node.accounts.set(of('placeholder'), { owner: PROGRAM, data: Buffer.from('hot'), lamports: 9 });
    expect(await find(of('placeholder'))).toMatchObject({ account: hot, cold: null });
    expect(await find(of('gone'))).toBeNull();
  });

  it('are the sum of the tokens of one mint, whatever is newer', async () => {
    const live = { owner: PROGRAM, data: Buffer.from(splTokenAccount(UNKNOWN, 100n, null, 1), 'base64'), lamports: 9 };
    const sumOf = async () => (await find(of('holder')))?.account;
    const compressed = { owner: text(TOKEN_PROGRAM), lamports: 7, rentEpoch: 0, space: 165 };
    expect(await sumOf()).toMatchObject({
      ...compressed,
      data: splTokenAccount(of('holder'), 42n, DELEGATE, 2, 30n),
    });
    node.accounts.set(of('holder'), live);
    expect(await sumOf()).toMatchObject({
      lamports: 9,
      owner: text(PROGRAM),
      data: splTokenAccount(UNKNOWN, 142n, DELEGATE, 2, 30n),
    });
    node.accounts.set(of('holder'), { ...live, data: Buffer.from('no token account') });
    expect(await sumOf()).toMatchObject({ ...compressed, data: splTokenAccount(of('holder'), 12n, null, 2) });
  });

  it('are those of the newest account if the mints differ', async () => {
    const newest = Buffer.from(splTokenAccount(of('mixed'), 12n, null, 1), 'base64');
    PROGRAM.copy(newest);
    expect((await find(of('mixed')))?.account.data).toBe(newest.toString('base64'));
  });

  it.each([
    [undefined, 'confirmed'],
    [null, 'confirmed'],
    ['processed', 'processed'],
    ['finalized', 'finalized'],
  ])('are looked up on the chain with the commitment %p as %s', async (commitment, asked) => {
    await rpc.result('getAccountInterface', { address: text(of('hot')), commitment });
    await rpc.result('getMultipleAccountInterfaces', { addresses: [text(of('hot'))], commitment });
    const commitments = node.requests.map(({ params }) => (params[1] as { commitment: string }).commitment);
    expect(new Set(commitments)).toEqual(new Set([asked]));
  });

  it('are null if they are on neither side', async () => {
    const result = await rpc.result('getAccountInterface', { address: text(UNKNOWN) });
    expect(result).toEqual({ context: { slot: SLOT }, value: null });
  });

  it('are answered in the order of the request, with one request to the node', async () => {
    const addresses = [UNKNOWN, of('mint'), of('hot'), of('mint'), of('both')].map(text);
    const { context, value } = (await rpc.result('getMultipleAccountInterfaces', { addresses })) as {
      context: object;
      value: (Interface | null)[];
    };
    expect(context).toEqual({ slot: SLOT });
    expect(value.map((found) => found && [found.key, found.account.lamports, found.cold?.length ?? 0])).toEqual([
      null,
      [addresses[1], Number(MAX_U64), 1],
      [addresses[2], 9, 0],
      [addresses[3], Number(MAX_U64), 1],
      [addresses[4], 9, 1],
    ]);
    // The checker sends each call twice.
    expect(node.requests.map(({ params }) => (params[0] as string[]).length)).toEqual([4, 4]);
  });

  it('have all digits of lamports and rent epoch', async () => {
    const account = `{"data":["","base64"],"executable":true,"lamports":${MAX_U64},"owner":"${text(PROGRAM)}","rentEpoch":${MAX_U64},"space":0}`;
    node.fail({ kind: 'json', text: `{"context":{"slot":${NODE_SLOT}},"value":[${account}]}` }, { times: 2 });
    const { text: body } = await rpc.call('getAccountInterface', { address: text(of('hot')) });
    for (const name of ['lamports', 'rentEpoch']) expect(body).toContain(`"${name}":${MAX_U64}`);
    expect(body).toContain('"executable":true');
  });

  it('have the largest rent epoch although a proxy has rounded it', async () => {
    const account = `{"data":["","base64"],"executable":true,"lamports":1,"owner":"${text(PROGRAM)}","rentEpoch":18446744073709552000,"space":0}`;
    node.fail({ kind: 'json', text: `{"context":{"slot":${NODE_SLOT}},"value":[${account}]}` }, { times: 2 });
    const { text: body } = await rpc.call('getAccountInterface', { address: text(of('hot')) });
    expect(body).toContain(`"rentEpoch":${MAX_U64}`);
  });

  it.each([
    ['getAccountInterface', undefined, 'params must be an object with address, commitment'],
    ['getAccountInterface', {}, 'address is required'],
    ['getAccountInterface', { address: null }, 'address is required'],
    ['getAccountInterface', { address: '2' }, 'address must be a public key (base58 of 32 bytes)'],
    ['getAccountInterface', { address: text(UNKNOWN), x: 1 }, 'params has an unknown member "x"'],
    [
      'getAccountInterface',
      { address: text(UNKNOWN), commitment: 'soon' },
      'commitment must be processed, confirmed, finalized or null',
    ],
    ['getMultipleAccountInterfaces', [text(UNKNOWN)], 'params must be an object with addresses, commitment'],
    ['getMultipleAccountInterfaces', { addresses: text(UNKNOWN) }, 'addresses must be an array'],
    ['getMultipleAccountInterfaces', { addresses: [] }, 'addresses must contain 1 to 100 addresses, not 0'],
    [
      'getMultipleAccountInterfaces',
      { addresses: Array(101).fill(text(UNKNOWN)) },
      'addresses must contain 1 to 100 addresses, not 101',
    ],
    [
      'getMultipleAccountInterfaces',
      { addresses: [text(UNKNOWN), 'x'] },
      'addresses[1] must be a public key (base58 of 32 bytes)',
    ],
  ])('%s rejects %j', async (method, params, reason) => {
    expect(await rpc.errorOf(method, params)).toEqual({ code: -32602, message: `Invalid params: ${reason}` });
    expect(node.requests).toEqual([]);
  });

  describe('if one side is away', () => {
    it.each([
      ['does not answer', { kind: 'status', status: 503 } as const],
      ['answers with an error', { kind: 'error', code: -32005, message: 'behind' } as const],
      [
        'answers with a number that is none',
        { kind: 'result', result: { context: { slot: 1 }, value: [{ lamports: -1 }] } } as const,
      ],
      ['answers too few accounts', { kind: 'result', result: { context: { slot: 1 }, value: [] } } as const],
    ])('are compressed accounts: the node %s', async (_, fault) => {
      node.fail(fault, { times: 2 });
      expect(await find(of('both'))).toMatchObject({ account: cold, cold: [{}] });
      node.fail(fault, { times: 2 });
      expect(await find(of('hot'))).toBeNull();
      expect(lines.filter(({ level }) => level === 'warn').length).toBeGreaterThan(0);
    });

    it('are compressed accounts without a node', async () => {
      const without = await startTestGateway({ databaseUrl: database.url });
      const calls = new RpcChecker(() => without.url);
      expect(await calls.result('getAccountInterface', { address: text(of('both')) })).toMatchObject({
        context: { slot: SLOT },
        value: { account: cold },
      });
      await without.close();
    });

    it('are those of the chain while the database is away, and an internal error if the node is, too', async () => {
      const alone = await startTestGateway({ node: connect() });
      const calls = new RpcChecker(() => alone.url);
      const params = { address: text(of('both')) };
      expect(await calls.result('getAccountInterface', params)).toMatchObject({
        context: { slot: NODE_SLOT },
        value: { account: hot, cold: null },
      });
      node.fail({ kind: 'status', status: 503 }, { times: 2 });
      expect(await calls.call('getAccountInterface', params)).toMatchObject({
        status: 500,
        error: { code: -32603, message: 'Internal error' },
      });
      await alone.close();
    });
  });

  it('are refused if the answer of the node is too large, and before a slot is indexed', async () => {
    const large = Buffer.alloc(50_000);
    node.accounts.set(key(0x30), { owner: PROGRAM, data: large });
    const params = { address: text(key(0x30)) };
    const message = 'The answer of the Solana node is larger than 50000 bytes';
    expect(await rpc.errorOf('getAccountInterface', params)).toEqual({ code: -32000, message });
    await setIndexedSlot(database.dataSource, null);
    const nothing = { code: -32000, message: 'Nothing is indexed yet' };
    expect(await rpc.errorOf('getAccountInterface', { address: text(of('hot')) })).toEqual(nothing);
    await setIndexedSlot(database.dataSource, SLOT);
  });

  it('cost points for each address', async () => {
    const limited = await startTestGateway({
      databaseUrl: database.url,
      rateLimit: { points: 103, windowSeconds: 600 },
    });
    const calls = new RpcChecker(() => limited.url);
    const addresses = Array.from({ length: 100 }, (_, at) =>
      text(Buffer.concat([u64ToLittleEndian(BigInt(at)), Buffer.alloc(24, 1)])),
    );
    expect(await calls.call('getMultipleAccountInterfaces', { addresses })).toMatchObject({ status: 429 });
    await limited.close();
  });
});
