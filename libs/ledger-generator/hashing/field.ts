import { HASH_BYTES, type Hash } from '@fresnel/domain/primitives';
import { sha256 } from '@noble/hashes/sha2.js';
import { keccak_256 } from '@noble/hashes/sha3.js';

const DOMAIN_END = Buffer.of(0xff);

/** Maps bytes into the field: Keccak-256 of the parts and a final 0xff, with the first byte set to zero. */
export function bytesToField(...parts: readonly Buffer[]): Hash {
  return truncatedKeccak(...parts, DOMAIN_END);
}

/** Keccak-256 with the first byte set to zero. */
export function truncatedKeccak(...parts: readonly Buffer[]): Hash {
  return clearFirstByte(keccak_256(Buffer.concat(parts)));
}

/** SHA-256 with the first byte set to zero. */
export function truncatedSha256(bytes: Buffer): Hash {
  return clearFirstByte(sha256(bytes));
}

/** Pads big-endian bytes with leading zeros to 32 bytes. */
export function padToField(bytes: Buffer): Hash {
  return Buffer.concat([Buffer.alloc(HASH_BYTES - bytes.length), bytes]) as Hash;
}

function clearFirstByte(digest: Uint8Array): Hash {
  const hash = Buffer.from(digest) as Hash;
  hash[0] = 0;
  return hash;
}
