import {
  type Hash,
  MalformedBytesError,
  type Pubkey,
  type Signature,
  SIGNATURE_BYTES,
  type Slot,
  toHash,
  toPubkey,
  toSignature,
  toSlot,
} from '@fresnel/domain/primitives';

/**
 * Returns a required field of a message. Protobuf has no required fields. @throws MalformedBytesError if it is missing
 */
export function required<Value>(value: Value | undefined, name: string): Value {
  if (value === undefined) throw new MalformedBytesError(`${name} is missing`);
  return value;
}

/** The oneof `kind` is empty or has a case that this version does not define. */
export function unknownKind(of: string): MalformedBytesError {
  return new MalformedBytesError(`unknown kind of ${of}`);
}

/** Reads an optional field with `read`; null when it is absent. */
export function nullable<Wire, Value>(value: Wire | undefined, read: (value: Wire) => Value): Value | null {
  return value === undefined ? null : read(value);
}

// The functions below copy: a slice, often a single hash, would keep the whole record batch in memory.

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

/** Reads signatures without anything between them. @throws MalformedBytesError */
export function readSignatures(bytes: Uint8Array): Signature[] {
  if (bytes.length % SIGNATURE_BYTES !== 0) throw new MalformedBytesError(`${bytes.length} bytes of signatures`);
  const copy = Buffer.from(bytes);
  return Array.from({ length: bytes.length / SIGNATURE_BYTES }, (_, at) =>
    toSignature(copy.subarray(at * SIGNATURE_BYTES, (at + 1) * SIGNATURE_BYTES)),
  );
}

/** @throws MalformedTextError */
export function readSlot(value: bigint): Slot {
  return toSlot(Number(value));
}
