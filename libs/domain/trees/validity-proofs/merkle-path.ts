import { HASH_BYTES, type Hash } from '@fresnel/domain/primitives';

const PAIR_BYTES = 2 * HASH_BYTES;

/** The path from a leaf to a root. */
export interface MerklePath {
  leaf: Hash;
  leafIndex: number;
  /** Leaf level first. */
  siblings: readonly Hash[];
}

/**
 * The roots to which paths lead. All nodes of a level are hashed in one batch, and a node of several paths once.
 *
 * @param paths of one tree, or of several
 * @param hashBatch as `BatchHasher`, on the calling thread
 */
export function rootsOfPaths(
  paths: readonly MerklePath[],
  hashBatch: (arity: number, inputs: Buffer) => Buffer,
): Hash[] {
  let nodes = paths.map(({ leaf }) => leaf);
  const height = Math.max(0, ...paths.map(({ siblings }) => siblings.length));
  for (let level = 0; level < height; level++) {
    const pairs = new Pairs(paths.length);
    const positions = paths.map(({ leafIndex, siblings }, at) => {
      if (level >= siblings.length) return null;
      return pairs.add(Math.floor(leafIndex / 2 ** level), nodes[at], siblings[level]);
    });
    const hashes = hashBatch(2, pairs.bytes);
    nodes = positions.map((position, at) =>
      position === null ? nodes[at] : (hashes.subarray(position, position + HASH_BYTES) as Hash),
    );
  }
  return nodes;
}

/** The pairs of nodes of a level that are hashed. */
class Pairs {
  private readonly buffer: Buffer;
  private length = 0;
  private readonly starts = new Map<number, number>();

  constructor(max: number) {
    this.buffer = Buffer.allocUnsafe(max * PAIR_BYTES);
  }

  get bytes(): Buffer {
    return this.buffer.subarray(0, this.length);
  }

  /** @returns where the hash of a node and its sibling starts in the hashes of all pairs */
  add(index: number, node: Hash, sibling: Hash): number {
    const start = this.length;
    const [left, right] = index % 2 === 0 ? [node, sibling] : [sibling, node];
    left.copy(this.buffer, start);
    right.copy(this.buffer, start + HASH_BYTES);
    const parent = Math.floor(index / 2);
    const same = this.starts.get(parent);
    // Paths of several trees, or wrong ones, have other nodes in the same place.
    if (
      same !== undefined &&
      this.buffer.compare(this.buffer, same, same + PAIR_BYTES, start, start + PAIR_BYTES) === 0
    ) {
      return same / 2;
    }
    this.starts.set(parent, start);
    this.length += PAIR_BYTES;
    return start / 2;
  }
}
