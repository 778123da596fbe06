import { HASH_BYTES, type Hash } from './brands';

export const MAX_U64 = 2n ** 64n - 1n;

/** A non-negative number below 2^256 as 32 bytes, big endian: the form in which numbers enter a Poseidon hash. */
export function be32(value: bigint | number): Hash {
  const bytes = Buffer.alloc(HASH_BYTES);
  let rest = BigInt(value);
  for (let end = HASH_BYTES; rest > 0n; end -= 8, rest >>= 64n) {
    bytes.writeBigUInt64BE(rest & MAX_U64, end - 8);
  }
  return bytes as Hash;
}

export function u64ToLittleEndian(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}
