import { createHash } from 'node:crypto';
import { type Hash, HASH_BYTES, isZero, toBase58, toHash, ZERO_HASH } from '@fresnel/domain/primitives';
import { readBytes } from './base58-values';
import { InvalidParamsError } from './invalid-params.error';
import { type ReadValue } from './members';

/** Up to which slot, and on which state of which index, a client has all that it subscribed to. */
export interface PushCursor {
  slot: number;
  /** Null if the index does not know it. */
  blockhash: Hash | null;
  revision: number;
  /** 16 bytes. */
  indexId: Buffer;
}

/*
 * In base58, at most 94 characters: slot (8), revision (8), id of the index (16), blockhash (32; zeros: not known), and the first bytes
 * of the SHA-256 of all of these, so that a cursor that was cut or changed is no cursor.
 */
const U64_BYTES = 8;
const INDEX_ID_AT = 2 * U64_BYTES;
const BLOCKHASH_AT = INDEX_ID_AT + 16;
const CHECK_AT = BLOCKHASH_AT + HASH_BYTES;
const CHECK_BYTES = 4;
/** Above every slot and revision; places of transactions in slots below it are exact numbers. */
const MAX_NUMBER = 2n ** 36n;

const WHAT = 'the cursor of a slot message';
const readCursorBytes = readBytes(CHECK_AT + CHECK_BYTES, WHAT);

export function encodePushCursor({ slot, blockhash, revision, indexId }: PushCursor): string {
  const numbers = Buffer.alloc(INDEX_ID_AT);
  numbers.writeBigUInt64BE(BigInt(slot));
  numbers.writeBigUInt64BE(BigInt(revision), U64_BYTES);
  const content = Buffer.concat([numbers, indexId, blockhash ?? ZERO_HASH]);
  return toBase58(Buffer.concat([content, checkOf(content)]));
}

export const readPushCursor: ReadValue<PushCursor> = (value, field) => {
  const bytes = readCursorBytes(value, field);
  const [slot, revision] = [bytes.readBigUInt64BE(), bytes.readBigUInt64BE(U64_BYTES)];
  const isIntact = checkOf(bytes.subarray(0, CHECK_AT)).equals(bytes.subarray(CHECK_AT));
  if (!isIntact || slot >= MAX_NUMBER || revision >= MAX_NUMBER)
    throw new InvalidParamsError(`${field} must be ${WHAT}`);
  const blockhash = toHash(bytes.subarray(BLOCKHASH_AT, CHECK_AT));
  return {
    slot: Number(slot),
    revision: Number(revision),
    indexId: bytes.subarray(INDEX_ID_AT, BLOCKHASH_AT),
    blockhash: isZero(blockhash) ? null : blockhash,
  };
};

export const readStartSlot: ReadValue<number> = (value, field) => {
  const isSlot = typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
  if (!isSlot) throw new InvalidParamsError(`${field} must be a slot number`);
  return value;
};

function checkOf(content: Buffer): Buffer {
  return createHash('sha256').update(content).digest().subarray(0, CHECK_BYTES);
}
