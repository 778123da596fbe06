import { type AccountBody } from '@fresnel/domain/events';
import { MalformedBytesError, parsePubkey, toBase58, ZERO_HASH } from '@fresnel/domain/primitives';
import { decodeTokenData, encodeTokenData, isTokenAccount } from './token-data.codec';

const TOKEN_PROGRAM = parsePubkey('cTokenmWW8bLPjZEBAUgYy3zKxQZW6VKi7bqNFEVv3m');
const bytes = (hex: string) => Buffer.from(hex.replace(/\s/g, ''), 'hex');
const MINT = '15c8b853d40e095a1e48936ee76b904c74d990dfa31a1e46e55ab248bcd4768f';
const OWNER = 'c81744ae00053ff16d89c10f5ea0aef29fb8ba3bf771eda5df9a76819b02189c';
const HEAD = `${MINT} ${OWNER} e803000000000000`;

describe('decodeTokenData', () => {
  it('reads a recorded account of a thousand tokens', () => {
    const token = decodeTokenData(bytes(`${HEAD} 00 00 00`));
    expect({ ...token, mint: toBase58(token.mint), owner: toBase58(token.owner) }).toEqual({
      mint: '2U35cKS3Cj2xs5EBdByXYU7LaKAitqjSZc1Jnvu4iPf4',
      owner: 'EU57rQxcmFhJ24ApVdUy3y4MxFXcTUN3uiVeWvGgtWXu',
      amount: 1000n,
      delegate: null,
      state: 'initialized',
      tlv: null,
    });
  });

  it('reads a delegate, the frozen state and the largest amount', () => {
    const token = decodeTokenData(bytes(`${MINT} ${OWNER} ffffffffffffffff 01 ${OWNER} 01 00`));
    expect(token).toMatchObject({ amount: 2n ** 64n - 1n, delegate: bytes(OWNER), state: 'frozen', tlv: null });
  });

  it.each([
    ['no tag, as in old accounts', '', null],
    ['tag 0', '00', null],
    ['tag 1 without extensions', '01', null],
    ['another tag', '02 abcd', null],
    [
      'tag 1: the bytes after it, unchanged',
      '01 010000001f0000000000000000000000000000000001',
      '010000001f0000000000000000000000000000000001',
    ],
  ])('reads extensions: %s', (_, tail, tlv) => {
    expect(decodeTokenData(bytes(`${HEAD} 00 00 ${tail}`)).tlv?.toString('hex') ?? null).toBe(tlv);
  });

  it('rejects other states and truncated data', () => {
    expect(() => decodeTokenData(bytes(`${HEAD} 00 02 00`))).toThrow('state 2');
    expect(() => decodeTokenData(bytes(`${HEAD} 02 00 00`))).toThrow(MalformedBytesError);
    expect(() => decodeTokenData(bytes(HEAD))).toThrow(MalformedBytesError);
  });
});

describe('isTokenAccount', () => {
  const body = (discriminator: string, owner = TOKEN_PROGRAM): AccountBody => ({
    owner,
    lamports: 0n,
    address: null,
    data: { discriminator: bytes(discriminator), bytes: Buffer.alloc(0), dataHash: ZERO_HASH },
  });

  it.each([
    ['0200000000000000', true],
    ['0000000000000003', true],
    ['0000000000000004', true],
    ['0000000000000002', false],
    ['0300000000000000', false],
  ])('returns for discriminator %s: %s', (discriminator, expected) => {
    expect(isTokenAccount(body(discriminator), TOKEN_PROGRAM)).toBe(expected);
  });

  it('requires the token program as owner, and data', () => {
    expect(
      isTokenAccount(
        body('0200000000000000', parsePubkey('SySTEM1eSU2p4BGQfQpimFEWWSC1XDFeun3Nqzz3rT7')),
        TOKEN_PROGRAM,
      ),
    ).toBe(false);
    expect(isTokenAccount({ ...body('0200000000000000'), data: null }, TOKEN_PROGRAM)).toBe(false);
  });
});

describe('encodeTokenData', () => {
  it.each([
    ['a recorded account', `${HEAD} 00 00 00`],
    ['a delegate and the frozen state', `${MINT} ${OWNER} ffffffffffffffff 01 ${OWNER} 01 00`],
    ['extensions', `${HEAD} 00 00 01 010000001f0000000000000000000000000000000001`],
  ])('restores %s', (_, hex) => {
    expect(encodeTokenData(decodeTokenData(bytes(hex)))).toEqual(bytes(hex));
  });

  it('writes a tag for old accounts, which have none', () => {
    expect(encodeTokenData(decodeTokenData(bytes(`${HEAD} 00 00`)))).toEqual(bytes(`${HEAD} 00 00 00`));
  });
});
