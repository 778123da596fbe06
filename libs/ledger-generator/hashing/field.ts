import { HASH_BYTES, type Hash } from '@fresnel/domain/primitives';
import { sha256 } from '@noble/hashes/sha2.js';
import { keccak_256 } from '@noble/hashes/sha3.js';

const DOMAIN_END = Buffer.of(0xff);

/** Maps any bytes into the field: Keccak-256 of the parts and a closing 0xff, with the first byte set to zero. */
export function bytesToField(...parts: readonly Buffer[]): Hash {
  return truncatedKeccak(...parts, DOMAIN_END);
}

/** Keccak-256 with the first byte set to zero. */
export function truncatedKeccak(...parts: readonly Buffer[]): Hash {
  return belowModulus(keccak_256(Buffer.concat(parts)));
}

/** SHA-256 with the first byte set to zero. */
export function truncatedSha256(bytes: Buffer): Hash {
  return belowModulus(sha256(bytes));
}

/** A number of at most 32 bytes given by its big-endian end; the bytes before it are zero. */
export function padToField(end: Buffer): Hash {
  return Buffer.concat([Buffer.alloc(HASH_BYTES - end.length), end]) as Hash;
}

function belowModulus(digest: Uint8Array): Hash {
  const hash = Buffer.from(digest) as Hash;
  hash[0] = 0;
  return hash;
}
