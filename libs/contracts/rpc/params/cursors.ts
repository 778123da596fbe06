import {
  type Hash,
  HASH_BYTES,
  PUBKEY_BYTES,
  type Pubkey,
  type Signature,
  SIGNATURE_BYTES,
  toBase58,
  toHash,
  toPubkey,
  toSignature,
  u64ToLittleEndian,
} from '@fresnel/domain/primitives';
import { readBytes } from './base58-values';
import { InvalidParamsError } from './invalid-params.error';
import { type ReadValue } from './members';

/**
 * Names the last signature of a page. On the wire: base58 of the slot (u64 little-endian) and the signature, 72 bytes.
 */
export interface SignatureCursor {
  slot: bigint;
  signature: Signature;
}

/** Names the last holder of a page. On the wire: base58 of the balance (u64 little-endian) and the owner, 40 bytes. */
export interface HolderCursor {
  balance: bigint;
  owner: Pubkey;
}

/** Names the last token account of a page. On the wire: base58 of the mint and the hash, 64 bytes. */
export interface TokenAccountCursor {
  mint: Pubkey;
  hash: Hash;
}

/** Names the last account of a page. On the wire: base58 of the leaf index (u64 little-endian) and the hash, 40 bytes. */
export interface AccountCursor {
  leafIndex: bigint;
  hash: Hash;
}

const U64_BYTES = 8;
/** Slots and leaf indices are stored as signed 64-bit integers. */
const MAX_STORED = 2n ** 63n - 1n;
const WHAT = 'the cursor of an earlier page of this method';

const readSignatureCursorBytes = readBytes(U64_BYTES + SIGNATURE_BYTES, WHAT);
const readHolderCursorBytes = readBytes(U64_BYTES + PUBKEY_BYTES, WHAT);
const readTokenAccountCursorBytes = readBytes(PUBKEY_BYTES + HASH_BYTES, WHAT);
const readAccountCursorBytes = readBytes(U64_BYTES + HASH_BYTES, WHAT);
const readMintCursorBytes = readBytes(PUBKEY_BYTES, WHAT);

export const readSignatureCursor: ReadValue<SignatureCursor> = (value, field) => {
  const bytes = readSignatureCursorBytes(value, field);
  const slot = readStoredNumber(bytes, field);
  return { slot, signature: toSignature(bytes.subarray(U64_BYTES)) };
};

export const readHolderCursor: ReadValue<HolderCursor> = (value, field) => {
  const bytes = readHolderCursorBytes(value, field);
  return { balance: bytes.readBigUInt64LE(), owner: toPubkey(bytes.subarray(U64_BYTES)) };
};

export const readTokenAccountCursor: ReadValue<TokenAccountCursor> = (value, field) => {
  const bytes = readTokenAccountCursorBytes(value, field);
  return { mint: toPubkey(bytes.subarray(0, PUBKEY_BYTES)), hash: toHash(bytes.subarray(PUBKEY_BYTES)) };
};

export const readAccountCursor: ReadValue<AccountCursor> = (value, field) => {
  const bytes = readAccountCursorBytes(value, field);
  return { leafIndex: readStoredNumber(bytes, field), hash: toHash(bytes.subarray(U64_BYTES)) };
};

/** Names the last mint of a page. On the wire: base58 of the mint. */
export const readMintCursor: ReadValue<Pubkey> = (value, field) => toPubkey(readMintCursorBytes(value, field));

function readStoredNumber(bytes: Buffer, field: string): bigint {
  const number = bytes.readBigUInt64LE();
  if (number > MAX_STORED) throw new InvalidParamsError(`${field} must be ${WHAT}`);
  return number;
}

export function encodeSignatureCursor({ slot, signature }: { slot: number; signature: Signature }): string {
  return toBase58(Buffer.concat([u64ToLittleEndian(BigInt(slot)), signature]));
}

export function encodeHolderCursor({ balance, owner }: HolderCursor): string {
  return toBase58(Buffer.concat([u64ToLittleEndian(balance), owner]));
}

export function encodeTokenAccountCursor({ mint, hash }: TokenAccountCursor): string {
  return toBase58(Buffer.concat([mint, hash]));
}

export function encodeMintCursor({ mint }: { mint: Pubkey }): string {
  return toBase58(mint);
}

export function encodeAccountCursor({ leafIndex, hash }: { leafIndex: number; hash: Hash }): string {
  return toBase58(Buffer.concat([u64ToLittleEndian(BigInt(leafIndex)), hash]));
}
