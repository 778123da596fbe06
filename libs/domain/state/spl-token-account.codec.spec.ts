import { MAX_U64, type Pubkey, toPubkey } from '@fresnel/domain/primitives';
import {
  decodeSplTokenAccount,
  encodeSplTokenAccount,
  type SplTokenAccount,
  sumTokenAccounts,
  toSplTokenAccount,
} from './spl-token-account.codec';
import { type TokenData } from './token-data.codec';

const key = (byte: number): Pubkey => toPubkey(Buffer.alloc(32, byte));
const [MINT, OWNER, DELEGATE, OTHER] = [1, 2, 3, 4].map(key);

const account = (changes: Partial<SplTokenAccount> = {}): SplTokenAccount => ({
  mint: MINT,
  owner: OWNER,
  amount: 10n,
  delegate: null,
  delegatedAmount: 0n,
  state: 'initialized',
  ...changes,
});
const compressed = (changes: Partial<TokenData> = {}): TokenData => ({
  mint: MINT,
  owner: OWNER,
  amount: 10n,
  delegate: DELEGATE,
  state: 'initialized',
  tlv: null,
  ...changes,
});

/** Extensions as their hexadecimal parts, with their count before them. */
function tlvOf(...extensions: string[]): Buffer {
  const count = Buffer.alloc(4);
  count.writeUInt32LE(extensions.length);
  return Buffer.concat([count, Buffer.from(extensions.join(''), 'hex')]);
}
const COMPRESSED_ONLY = (amount: string) => `1f${amount}00000000000000${'00'.repeat(9)}`;

describe('an account of the SPL token program', () => {
  it.each([
    ['without a delegate', account()],
    ['with a delegate', account({ delegate: DELEGATE, delegatedAmount: 7n })],
    ['that is frozen', account({ state: 'frozen', amount: MAX_U64 })],
  ])('%s has 165 bytes, and is read as it was written', (_, written) => {
    const bytes = encodeSplTokenAccount(written);
    expect(bytes).toHaveLength(165);
    expect(decodeSplTokenAccount(bytes)).toEqual(written);
  });

  it('has its members where the program has them', () => {
    const bytes = encodeSplTokenAccount(account({ delegate: DELEGATE, delegatedAmount: 7n, state: 'frozen' }));
    const zeros = (count: number) => '00'.repeat(count);
    expect(bytes.toString('hex')).toBe(
      [
        '01'.repeat(32) + '02'.repeat(32),
        `0a${zeros(7)}`,
        `01000000${'03'.repeat(32)}`,
        `02${zeros(12)}`,
        `07${zeros(7)}${zeros(36)}`,
      ].join(''),
    );
  });

  it('keeps its other members when it is changed', () => {
    const base = encodeSplTokenAccount(account({ delegate: DELEGATE, delegatedAmount: 7n }));
    base.fill(9, 109, 121);
    base.fill(8, 129);
    const changed = encodeSplTokenAccount(account({ amount: 11n }), base);
    expect(decodeSplTokenAccount(changed)).toEqual(account({ amount: 11n }));
    expect([changed.subarray(109, 121), changed.subarray(129)]).toEqual([Buffer.alloc(12, 9), Buffer.alloc(36, 8)]);
  });

  it.each([
    ['of another length', encodeSplTokenAccount(account()).subarray(1)],
    ['that is longer', Buffer.concat([encodeSplTokenAccount(account()), Buffer.of(2)])],
    ['that is not initialized', Buffer.alloc(165)],
  ])('is not read from data %s', (_, bytes) => {
    expect(decodeSplTokenAccount(bytes)).toBeNull();
  });
});

describe('a compressed token account on the chain', () => {
  it.each([
    ['all, without extensions', compressed(), 10n],
    ['that of its extension', compressed({ tlv: tlvOf(COMPRESSED_ONLY('04')) }), 4n],
    ['that of its extension, at most all', compressed({ tlv: tlvOf(COMPRESSED_ONLY('0b')) }), 10n],
    [
      'that behind other extensions',
      compressed({ tlv: tlvOf('1b', `1d${'00'.repeat(8)}`, COMPRESSED_ONLY('04')) }),
      4n,
    ],
    ['all, if an extension before it cannot be read', compressed({ tlv: tlvOf('13', COMPRESSED_ONLY('04')) }), 10n],
    ['all, if its extension is cut off', compressed({ tlv: tlvOf('1f0400') }), 10n],
    ['nothing without a delegate', compressed({ delegate: null, tlv: tlvOf(COMPRESSED_ONLY('04')) }), 0n],
  ])('lets the delegate transfer %s', (_, token, delegatedAmount) => {
    expect(toSplTokenAccount(token)).toEqual(account({ delegate: token.delegate, delegatedAmount }));
  });
});

describe('the sum of token accounts', () => {
  it('has the owner of the first one, and all amounts', () => {
    const sum = sumTokenAccounts([account(), account({ owner: OTHER, amount: 5n }), account({ amount: 1n })]);
    expect(sum).toEqual(account({ amount: 16n }));
  });

  it('is at most what an account can hold', () => {
    expect(sumTokenAccounts([account({ amount: MAX_U64 }), account()]).amount).toBe(MAX_U64);
  });

  it('is frozen if any of them is', () => {
    expect(sumTokenAccounts([account(), account({ state: 'frozen' })]).state).toBe('frozen');
  });

  it('has the first delegate, and what exactly this one may transfer', () => {
    const parts = [
      account(),
      account({ delegate: DELEGATE, delegatedAmount: 3n }),
      account({ delegate: OTHER, delegatedAmount: 10n }),
      account({ delegate: DELEGATE, delegatedAmount: 99n }),
    ];
    expect(sumTokenAccounts(parts)).toMatchObject({ amount: 40n, delegate: DELEGATE, delegatedAmount: 13n });
  });
});
