import { MAX_U64, toBase58, toHash, toPubkey, toSignature, u64ToLittleEndian } from '@fresnel/domain/primitives';
import {
  encodeAccountCursor,
  encodeHolderCursor,
  encodeMintCursor,
  encodeSignatureCursor,
  encodeTokenAccountCursor,
  readAccountCursor,
  readHolderCursor,
  readMintCursor,
  readSignatureCursor,
  readTokenAccountCursor,
} from './cursors';
import { InvalidParamsError } from './invalid-params.error';

const signature = toSignature(Buffer.alloc(64, 7));
const owner = toPubkey(Buffer.alloc(32, 9));

describe('a signature cursor', () => {
  it('is the slot as little-endian u64 and the signature', () => {
    expect(encodeSignatureCursor({ slot: 258, signature })).toBe(
      toBase58(Buffer.concat([Buffer.from('0201000000000000', 'hex'), signature])),
    );
  });

  it('is equal after encoding and decoding', () => {
    expect(readSignatureCursor(encodeSignatureCursor({ slot: 443787702, signature }), 'cursor')).toEqual({
      slot: 443787702n,
      signature,
    });
  });

  it('may have any slot up to 2^63-1', () => {
    const withSlot = (slot: bigint) => toBase58(Buffer.concat([u64ToLittleEndian(slot), signature]));
    expect(readSignatureCursor(withSlot(2n ** 63n - 1n), 'cursor').slot).toBe(2n ** 63n - 1n);
    expect(() => readSignatureCursor(withSlot(2n ** 63n), 'cursor')).toThrow(InvalidParamsError);
    expect(() => readSignatureCursor(withSlot(MAX_U64), 'cursor')).toThrow(InvalidParamsError);
  });

  it.each([
    ['empty', ''],
    ['not base58', '0OIl'],
    ['71 bytes', toBase58(Buffer.alloc(71, 1))],
    ['73 bytes', toBase58(Buffer.alloc(73, 1))],
    ['a holder cursor', encodeHolderCursor({ balance: 1n, owner })],
    ['a number', 5],
    ['an object', {}],
  ])('is rejected when it is %s', (_, cursor) => {
    expect(() => readSignatureCursor(cursor, 'cursor')).toThrow(
      new InvalidParamsError('cursor must be the cursor of an earlier page of this method'),
    );
  });
});

describe('a holder cursor', () => {
  it.each([0n, 1n, 2n ** 63n, MAX_U64])('is equal after encoding and decoding, with a balance of %s', (balance) => {
    expect(readHolderCursor(encodeHolderCursor({ balance, owner }), 'cursor')).toEqual({ balance, owner });
  });

  it.each([
    ['empty', ''],
    ['39 bytes', toBase58(Buffer.alloc(39, 1))],
    ['a signature cursor', encodeSignatureCursor({ slot: 1, signature })],
  ])('is rejected when it is %s', (_, cursor) => {
    expect(() => readHolderCursor(cursor, 'cursor')).toThrow(InvalidParamsError);
  });
});

describe('a token account cursor', () => {
  const last = { mint: owner, hash: toHash(Buffer.alloc(32, 8)) };

  it('is the mint and the hash, and equal after encoding and decoding', () => {
    expect(encodeTokenAccountCursor(last)).toBe(toBase58(Buffer.concat([last.mint, last.hash])));
    expect(readTokenAccountCursor(encodeTokenAccountCursor(last), 'cursor')).toEqual(last);
  });

  it.each([63, 65])('is rejected when it has %d bytes', (length) => {
    expect(() => readTokenAccountCursor(toBase58(Buffer.alloc(length, 1)), 'cursor')).toThrow(InvalidParamsError);
  });
});

describe('a mint cursor', () => {
  it('is the mint, and equal after encoding and decoding', () => {
    expect(encodeMintCursor({ mint: owner })).toBe(toBase58(owner));
    expect(readMintCursor(toBase58(owner), 'cursor')).toEqual(owner);
  });

  it.each([31, 33])('is rejected when it has %d bytes', (length) => {
    expect(() => readMintCursor(toBase58(Buffer.alloc(length, 1)), 'cursor')).toThrow(InvalidParamsError);
  });
});

describe('an account cursor', () => {
  const hash = toHash(Buffer.alloc(32, 8));
  const withIndex = (leafIndex: bigint) => toBase58(Buffer.concat([u64ToLittleEndian(leafIndex), hash]));

  it('is the leaf index as little-endian u64 and the hash', () => {
    expect(encodeAccountCursor({ leafIndex: 258, hash })).toBe(withIndex(258n));
    expect(readAccountCursor(withIndex(258n), 'cursor')).toEqual({ leafIndex: 258n, hash });
  });

  it('may have any leaf index up to 2^63-1', () => {
    expect(readAccountCursor(withIndex(2n ** 63n - 1n), 'cursor').leafIndex).toBe(2n ** 63n - 1n);
    for (const leafIndex of [2n ** 63n, MAX_U64]) {
      expect(() => readAccountCursor(withIndex(leafIndex), 'cursor')).toThrow(InvalidParamsError);
    }
  });
});
