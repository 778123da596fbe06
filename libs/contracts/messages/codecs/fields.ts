import {
  type Hash,
  MalformedBytesError,
  type Pubkey,
  type Signature,
  type Slot,
  toHash,
  toPubkey,
  toSignature,
  toSlot,
} from '@fresnel/domain/primitives';

/** A field that every record has, though the format lets writers leave it out. @throws MalformedBytesError */
export function required<Value>(value: Value | undefined, name: string): Value {
  if (value === undefined) throw new MalformedBytesError(`${name} is missing`);
  return value;
}

/** A kind that this version does not have, or none. */
export function unknownKind(of: string): MalformedBytesError {
  return new MalformedBytesError(`${of} of a kind that is not known`);
}

/** Reads an optional field with `read`. */
export function nullable<Wire, Value>(value: Wire | undefined, read: (value: Wire) => Value): Value | null {
  return value === undefined ? null : read(value);
}

// Copies: what is kept of a message, often a single hash, must not keep a whole batch of records in memory.

export function readBytes(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes);
}

/** @throws MalformedTextError */
export function readHash(bytes: Uint8Array): Hash {
  return toHash(Buffer.from(bytes));
}

/** @throws MalformedTextError */
export function readPubkey(bytes: Uint8Array): Pubkey {
  return toPubkey(Buffer.from(bytes));
}

/** @throws MalformedTextError */
export function readSignature(bytes: Uint8Array): Signature {
  return toSignature(Buffer.from(bytes));
}

/** @throws MalformedTextError */
export function readSlot(value: bigint): Slot {
  return toSlot(Number(value));
}
