import { type Hash, HASH_BYTES } from '@fresnel/domain/primitives';

/** 256 hashes: 8 kB. */
const BLOCK_BYTES = 256 * HASH_BYTES;

/**
 * Copies hashes into memory of their own. A hash of a message or of a database row is a view of some kilobytes, which stay
 * allocated for as long as the hash does.
 */
export class HashMemory {
  private block = Buffer.alloc(0);
  private used = 0;

  copy(hash: Hash): Hash {
    if (this.used === this.block.length) [this.block, this.used] = [Buffer.allocUnsafeSlow(BLOCK_BYTES), 0];
    const copy = this.block.subarray(this.used, this.used + HASH_BYTES);
    copy.set(hash);
    this.used += HASH_BYTES;
    return copy as Hash;
  }
}
