import { type AccountRecord, type TransactionRecord } from '@fresnel/adapters/store-read';
import { be32, MAX_U64, toBase58, toHash, toPubkey } from '@fresnel/domain/primitives';
import { presentAccount, presentAccountV2 } from './account.presenter';
import { presentCompressionInfo, presentCompressionInfoV2 } from './compression-info.presenter';
import { nextCursor } from './next-cursor';
import { transactionJson } from './transaction-json';

const key = (byte: number) => toPubkey(Buffer.alloc(32, byte));
const text = (byte: number) => toBase58(key(byte));
const ZERO = '11111111111111111111111111111111';

function account(overrides: Partial<AccountRecord> = {}): AccountRecord {
  return {
    hash: be32(5),
    owner: key(1),
    lamports: MAX_U64,
    address: null,
    data: null,
    tree: key(2),
    queue: key(3),
    treeType: 'stateV1',
    leafIndex: 4,
    seq: 9n,
    slotCreated: 77,
    isQueued: false,
    token: null,
    nullification: null,
    ...overrides,
  };
}

const token = (owner: number, mint: number, amount: bigint): AccountRecord['token'] => ({
  owner: key(owner),
  mint: key(mint),
  amount,
  delegate: null,
  state: 'initialized',
  tlv: null,
});

describe('an account', () => {
  it('has all members of the contract', () => {
    const data = { discriminator: MAX_U64, bytes: Buffer.from([251, 255]), dataHash: toHash(Buffer.alloc(32, 6)) };
    expect(presentAccount(account({ address: be32(8), data }))).toEqual({
      hash: toBase58(be32(5)),
      address: toBase58(be32(8)),
      data: { discriminator: MAX_U64, data: '+/8=', dataHash: text(6) },
      owner: text(1),
      lamports: MAX_U64,
      tree: text(2),
      leafIndex: 4,
      seq: 9n,
      slotCreated: 77,
    });
  });

  it('has null for absent members', () => {
    expect(presentAccount(account({ seq: null }))).toMatchObject({ address: null, data: null, seq: null });
  });

  it.each([
    ['stateV1', 1],
    ['stateV2', 3],
  ] as const)('of a %s tree has the tree type in V2', (treeType, code) => {
    const presented = presentAccountV2(account({ treeType }), true);
    expect(presented).toMatchObject({ hash: toBase58(be32(5)), proveByIndex: true });
    expect(presented.merkleContext).toEqual({
      treeType: code,
      tree: text(2),
      queue: text(3),
      cpiContext: null,
      nextTreeContext: null,
    });
    expect(presented).not.toHaveProperty('tree');
  });
});

describe('compression info', () => {
  const record = (consumed: AccountRecord[], created: AccountRecord[]): TransactionRecord => ({
    json: '{}',
    consumed,
    created,
  });

  it('keeps the order of accounts and has their token data', () => {
    const tlv = Buffer.from([1, 2]);
    const frozen: AccountRecord['token'] = {
      ...token(11, 12, 5n),
      delegate: key(13),
      state: 'frozen',
      tlv,
    } as AccountRecord['token'];
    const info = presentCompressionInfo(
      record([account({ leafIndex: 9 }), account({ leafIndex: 1 })], [account({ token: frozen })]),
    );
    expect(info.closedAccounts.map(({ account }) => account.leafIndex)).toEqual([9, 1]);
    expect(info.closedAccounts.map(({ optionalTokenData }) => optionalTokenData)).toEqual([null, null]);
    expect(info.openedAccounts[0].optionalTokenData).toEqual({
      mint: text(12),
      owner: text(11),
      amount: 5n,
      delegate: text(13),
      state: 'frozen',
      tlv: 'AQI=',
    });
  });

  it('sums tokens by owner and mint', () => {
    const info = presentCompressionInfo(
      record(
        [account({ token: token(1, 2, 5n) }), account({ token: token(1, 3, 1n) }), account({ token: token(1, 2, 6n) })],
        [account({ token: token(4, 2, MAX_U64) }), account(), account({ token: token(1, 2, 0n) })],
      ),
    );
    expect(info.preTokenBalances).toEqual([
      { owner: text(1), mint: text(2), amount: 11n },
      { owner: text(1), mint: text(3), amount: 1n },
    ]);
    expect(info.postTokenBalances).toEqual([
      { owner: text(4), mint: text(2), amount: MAX_U64 },
      { owner: text(1), mint: text(2), amount: 0n },
    ]);
  });

  it('has no balances if no account has tokens', () => {
    expect(presentCompressionInfo(record([account()], []))).toMatchObject({
      preTokenBalances: undefined,
      postTokenBalances: undefined,
    });
  });

  it('in V2 has the nullifier and transaction hash of closed accounts, zero for V1 trees', () => {
    const nullification = { nullifier: toHash(Buffer.alloc(32, 21)), txHash: toHash(Buffer.alloc(32, 22)) };
    const info = presentCompressionInfoV2(
      record([account({ treeType: 'stateV2', nullification, isQueued: true }), account()], []),
    );
    expect(info.closedAccounts).toMatchObject([
      { account: { account: { proveByIndex: true }, nullifier: text(21), txHash: text(22) }, optionalTokenData: null },
      { account: { account: { proveByIndex: false }, nullifier: ZERO, txHash: ZERO } },
    ]);
  });

  it('in V2 has opened accounts as they were created', () => {
    const info = presentCompressionInfoV2(
      record([], [account({ treeType: 'stateV2', isQueued: false }), account({ treeType: 'stateV1' })]),
    );
    expect(info.openedAccounts.map(({ account }) => account.proveByIndex)).toEqual([true, false]);
  });
});

describe('transactionJson', () => {
  it('contains the text of the node digit for digit, and the compression info twice', () => {
    const json = '{ "slot":1.0,"meta":{"rentEpoch":18446744073709551615} }';
    expect(transactionJson({ json, consumed: [], created: [] }, () => '{"x":1}')).toBe(
      `{"transaction":${json},"compressionInfo":{"x":1},"compression_info":{"x":1}}`,
    );
  });

  it('is null if there is no transaction', () => {
    expect(transactionJson(null, () => '')).toBe('null');
  });
});

describe('nextCursor', () => {
  const last = (item: number) => `after ${item}`;

  it('is the cursor of the last item of a full page', () => {
    expect(nextCursor([1, 2], 2, last)).toBe('after 2');
  });

  it('is null for a page that is not full, and for a limit of 0', () => {
    expect(nextCursor([1], 2, last)).toBeNull();
    expect(nextCursor([], 2, last)).toBeNull();
    expect(nextCursor([], 0, last)).toBeNull();
  });
});
