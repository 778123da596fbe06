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

const U64_BYTES = 8;
/** Slots are stored as signed 64-bit integers. */
const MAX_SLOT = 2n ** 63n - 1n;
const WHAT = 'the cursor of an earlier page of this method';

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

export function encodeSignatureCursor({ slot, signature }: { slot: number; signature: Signature }): string {
  return toBase58(Buffer.concat([u64ToLittleEndian(BigInt(slot)), signature]));
}

export function encodeHolderCursor({ balance, owner }: HolderCursor): string {
  return toBase58(Buffer.concat([u64ToLittleEndian(balance), owner]));
}
