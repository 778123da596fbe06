import { decodeBase58 } from './decode-base58';
import { encodeBase58 } from './encode-base58';
import { MalformedTextError } from './errors';

declare const brand: unique symbol;

/** A value with a branded type, created by a function that checks it. */
export type Brand<Value, Name extends string> = Value & { readonly [brand]: Name };

/** A slot number. Slots are far below 2^53, so a number is exact. */
export type Slot = Brand<number, 'Slot'>;

/** The 32-byte public key of a Solana account: a program, a tree, a queue, an owner, a mint. */
export type Pubkey = Brand<Buffer, 'Pubkey'>;

/** 32 bytes: account hash, leaf, node, root, nullifier, address. Big endian if it is a number. */
export type Hash = Brand<Buffer, 'Hash'>;

/** A 64-byte transaction signature. The first signature of a transaction is its id. */
export type Signature = Brand<Buffer, 'Signature'>;

export const PUBKEY_BYTES = 32;
export const HASH_BYTES = 32;
export const SIGNATURE_BYTES = 64;

/** @throws MalformedTextError unless `value` is an integer from 0 to 2^53-1 */
export function toSlot(value: number): Slot {
  if (!Number.isSafeInteger(value) || value < 0) throw new MalformedTextError(`${value} is not a slot`);
  return value as Slot;
}

/** @throws MalformedTextError unless `bytes` has 32 bytes */
export function toPubkey(bytes: Buffer): Pubkey {
  return requireLength(bytes, PUBKEY_BYTES, 'public key') as Pubkey;
}

/** @throws MalformedTextError unless `bytes` has 32 bytes */
export function toHash(bytes: Buffer): Hash {
  return requireLength(bytes, HASH_BYTES, 'hash') as Hash;
}

/** @throws MalformedTextError unless `bytes` has 64 bytes */
export function toSignature(bytes: Buffer): Signature {
  return requireLength(bytes, SIGNATURE_BYTES, 'signature') as Signature;
}

/** Parses a base58 public key. @throws MalformedTextError */
export function parsePubkey(text: string): Pubkey {
  return toPubkey(decodeBase58(text, PUBKEY_BYTES));
}

/** Parses a base58 hash. @throws MalformedTextError */
export function parseHash(text: string): Hash {
  return toHash(decodeBase58(text, HASH_BYTES));
}

/** Parses a base58 signature. @throws MalformedTextError */
export function parseSignature(text: string): Signature {
  return toSignature(decodeBase58(text, SIGNATURE_BYTES));
}

/** Formats a key, hash or signature as base58. */
export function toBase58(bytes: Buffer): string {
  return encodeBase58(bytes);
}

/** A key for `Map` and `Set`: equal if and only if the bytes are equal. It contains raw bytes; do not log it. */
export function keyOf(bytes: Buffer): string {
  return bytes.toString('latin1');
}

/** 32 zero bytes: an empty leaf, or no transaction hash. */
export const ZERO_HASH = Buffer.alloc(HASH_BYTES) as Hash;
export const ZERO_PUBKEY = Buffer.alloc(PUBKEY_BYTES) as Pubkey;

export function isZero(bytes: Buffer): boolean {
  return bytes.equals(ZERO_HASH);
}

function requireLength(bytes: Buffer, length: number, what: string): Buffer {
  if (bytes.length !== length) throw new MalformedTextError(`a ${what} has ${length} bytes, not ${bytes.length}`);
  return bytes;
}
