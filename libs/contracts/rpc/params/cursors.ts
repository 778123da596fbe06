import {
  PUBKEY_BYTES,
  type Pubkey,
  type Signature,
  SIGNATURE_BYTES,
  toBase58,
  toPubkey,
  toSignature,
  u64ToLittleEndian,
} from '@fresnel/domain/primitives';
import { readBytes } from './base58-values';
import { InvalidParamsError } from './invalid-params.error';
import { type ReadValue } from './members';

/** The last signature of a page: slot as u64 in little endian, then the signature. */
export interface SignatureCursor {
  slot: bigint;
  signature: Signature;
}

/** The last holder of a page: balance as u64 in little endian, then the owner. */
export interface HolderCursor {
  balance: bigint;
  owner: Pubkey;
}

const U64_BYTES = 8;
/** Slots are stored as signed 64-bit integers. */
const MAX_SLOT = 2n ** 63n - 1n;
const WHAT = 'a cursor of this method, as an earlier page gave it';

const readSignatureCursorBytes = readBytes(U64_BYTES + SIGNATURE_BYTES, WHAT);
const readHolderCursorBytes = readBytes(U64_BYTES + PUBKEY_BYTES, WHAT);

export const readSignatureCursor: ReadValue<SignatureCursor> = (value, field) => {
  const bytes = readSignatureCursorBytes(value, field);
  const slot = bytes.readBigUInt64LE();
  if (slot > MAX_SLOT) throw new InvalidParamsError(`${field} must be ${WHAT}`);
  return { slot, signature: toSignature(bytes.subarray(U64_BYTES)) };
};

export const readHolderCursor: ReadValue<HolderCursor> = (value, field) => {
  const bytes = readHolderCursorBytes(value, field);
  return { balance: bytes.readBigUInt64LE(), owner: toPubkey(bytes.subarray(U64_BYTES)) };
};

export function writeSignatureCursor({ slot, signature }: { slot: number; signature: Signature }): string {
  return toBase58(Buffer.concat([u64ToLittleEndian(BigInt(slot)), signature]));
}

export function writeHolderCursor({ balance, owner }: HolderCursor): string {
  return toBase58(Buffer.concat([u64ToLittleEndian(balance), owner]));
}
