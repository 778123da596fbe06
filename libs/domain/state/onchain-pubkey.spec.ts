import { createHash } from 'node:crypto';
import { type AccountBody, LIVE_PROGRAMS } from '@fresnel/domain/events';
import { type Hash, type Pubkey } from '@fresnel/domain/primitives';
import { isDecompressedPlaceholder, readOnchainPubkey } from './onchain-pubkey';

const KEY = Buffer.alloc(32, 7) as Pubkey;
const TOKEN_PROGRAM = LIVE_PROGRAMS.compressedToken;
const OTHER_PROGRAM = Buffer.alloc(32, 8) as Pubkey;
const PLACEHOLDER = 'ffffffffffffff00';

const body = (owner: Pubkey, discriminator: string, bytes: Buffer): AccountBody => ({
  owner,
  lamports: 0n,
  address: null,
  data: { discriminator: Buffer.from(discriminator, 'hex'), bytes, dataHash: Buffer.alloc(32) as Hash },
});

/** The data of a compressed mint, of which only the key and the type of the account matter. */
function mint(type: number, length = 200): Buffer {
  const bytes = Buffer.alloc(length);
  KEY.copy(bytes, 84);
  if (length > 165) bytes[165] = type;
  return bytes;
}

describe('readOnchainPubkey', () => {
  it.each([
    ['a decompressed account', body(OTHER_PROGRAM, PLACEHOLDER, KEY)],
    ['a decompressed account with more data', body(OTHER_PROGRAM, PLACEHOLDER, Buffer.concat([KEY, OTHER_PROGRAM]))],
    ['a compressed mint', body(TOKEN_PROGRAM, '0100000000000000', mint(1))],
    ['the shortest compressed mint', body(TOKEN_PROGRAM, '0100000000000000', mint(1, 166))],
  ])('reads the key of %s', (_, account) => {
    expect(readOnchainPubkey(account, TOKEN_PROGRAM)).toEqual(KEY);
  });

  it.each([
    ['an account without data', { ...body(OTHER_PROGRAM, PLACEHOLDER, KEY), data: null }],
    ['a decompressed account with too few data', body(OTHER_PROGRAM, PLACEHOLDER, KEY.subarray(1))],
    ['another discriminator', body(OTHER_PROGRAM, '00ffffffffffffff', KEY)],
    ['what is like a mint, of another program', body(OTHER_PROGRAM, '0100000000000000', mint(1))],
    ['another account type', body(TOKEN_PROGRAM, '0100000000000000', mint(2))],
    ['data that are too short for a mint', body(TOKEN_PROGRAM, '0100000000000000', mint(1, 165))],
    ['a token account', body(TOKEN_PROGRAM, '0200000000000000', mint(1))],
  ])('reads none of %s', (_, account) => {
    expect(readOnchainPubkey(account, TOKEN_PROGRAM)).toBeNull();
  });
});

describe('isDecompressedPlaceholder', () => {
  const DATA_HASH = createHash('sha256').update(KEY).digest();
  DATA_HASH[0] = 0;
  const placeholder = {
    discriminator: Buffer.from(PLACEHOLDER, 'hex').readBigUInt64LE(),
    bytes: KEY,
    dataHash: DATA_HASH,
  };

  it('is true for the key alone', () => {
    expect(isDecompressedPlaceholder(placeholder)).toBe(true);
  });

  it.each([
    ['another discriminator', { discriminator: 1n }],
    ['more data', { bytes: Buffer.concat([KEY, Buffer.of(1)]) }],
    ['another hash', { dataHash: Buffer.alloc(32) }],
    ['the hash of the program', { dataHash: createHash('sha256').update(KEY).digest() }],
  ])('is false with %s', (_, changes) => {
    expect(isDecompressedPlaceholder({ ...placeholder, ...changes })).toBe(false);
  });
});
