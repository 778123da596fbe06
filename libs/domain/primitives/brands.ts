import { decodeBase58, encodeBase58 } from './base58';
import { MalformedTextError } from './errors';

declare const brand: unique symbol;

/** A value that was checked once, where it entered, and carries its meaning in its type from there on. */
export type Brand<Value, Name extends string> = Value & { readonly [brand]: Name };

/** Number of a slot. Slots stay far below 2^53, so a plain number is exact. */
export type Slot = Brand<number, 'Slot'>;

/** 32-byte public key of a Solana account: a program, a tree, a queue, an owner, a mint. */
export type Pubkey = Brand<Buffer, 'Pubkey'>;

/** 32 bytes, big endian where it is a number: account hash, leaf, node, root, nullifier, address. */
export type Hash = Brand<Buffer, 'Hash'>;

/** 64-byte transaction signature; the first of a transaction is its id. */
export type Signature = Brand<Buffer, 'Signature'>;

export const PUBKEY_BYTES = 32;
export const HASH_BYTES = 32;
export const SIGNATURE_BYTES = 64;

/** @throws MalformedTextError unless `value` is an integer from 0 to 2^53-1 */
export function toSlot(value: number): Slot {
  if (!Number.isSafeInteger(value) || value < 0) throw new MalformedTextError(`${value} is not a slot`);
  return value as Slot;
}

/** @throws MalformedTextError unless `bytes` holds 32 bytes */
export function toPubkey(bytes: Buffer): Pubkey {
  return requireLength(bytes, PUBKEY_BYTES, 'public key') as Pubkey;
}

/** @throws MalformedTextError unless `bytes` holds 32 bytes */
export function toHash(bytes: Buffer): Hash {
  return requireLength(bytes, HASH_BYTES, 'hash') as Hash;
}

/** @throws MalformedTextError unless `bytes` holds 64 bytes */
export function toSignature(bytes: Buffer): Signature {
  return requireLength(bytes, SIGNATURE_BYTES, 'signature') as Signature;
}

/** Reads a public key from its base58 form. @throws MalformedTextError */
export function parsePubkey(text: string): Pubkey {
  return toPubkey(decodeBase58(text, PUBKEY_BYTES));
}

/** Reads a hash from its base58 form. @throws MalformedTextError */
export function parseHash(text: string): Hash {
  return toHash(decodeBase58(text, HASH_BYTES));
}

/** Reads a signature from its base58 form. @throws MalformedTextError */
export function parseSignature(text: string): Signature {
  return toSignature(decodeBase58(text, SIGNATURE_BYTES));
}

/** The base58 form of a key, hash or signature. */
export function toBase58(bytes: Buffer): string {
  return encodeBase58(bytes);
}

/** A string that is equal exactly when the bytes are: a key for `Map` and `Set`. Not for people. */
export function keyOf(bytes: Buffer): string {
  return bytes.toString('latin1');
}

/** Two hashes that are the same 32 zero bytes everywhere: an empty leaf, the zero public key, "no transaction hash". */
export const ZERO_HASH = Buffer.alloc(HASH_BYTES) as Hash;
export const ZERO_PUBKEY = Buffer.alloc(PUBKEY_BYTES) as Pubkey;

export function isZero(bytes: Buffer): boolean {
  return bytes.equals(ZERO_HASH);
}

function requireLength(bytes: Buffer, length: number, what: string): Buffer {
  if (bytes.length !== length) throw new MalformedTextError(`a ${what} has ${length} bytes, not ${bytes.length}`);
  return bytes;
}
