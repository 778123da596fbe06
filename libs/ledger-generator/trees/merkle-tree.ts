import { type Hash, HASH_BYTES, toHash, ZERO_HASH } from '@fresnel/domain/primitives';
import { poseidon, poseidonBatch } from '@fresnel/domain/poseidon';
import { zeroSubtrees } from '@fresnel/domain/trees';

type Leaves = ReadonlyMap<number, Hash>;

/**
 * A sparse binary Merkle tree: roots of empty subtrees are not stored.
 *
 * ```
 *   level 2 (root)      0          parent of node i: i / 2 rounded down, one level up
 *   level 1           0   1        sibling: the other child of that parent
 *   level 0 (leaves) 0 1 2 3
 * ```
 *
 * Hashing is lazy: reading an inner node hashes each node above the pending writes once.
 */
export class MerkleTree {
  private readonly levels: Map<number, Hash>[];
  private pending = new Map<number, Hash>();
  private preview: { leaves: Leaves; nodes: Map<number, Hash>[] } | null = null;

  /** @param height levels below the root */
  constructor(readonly height: number) {
    this.levels = Array.from({ length: height + 1 }, () => new Map<number, Hash>());
  }

  /** Writes leaves by leaf index. A later write to the same leaf replaces an earlier one. */
  write(leaves: Leaves): void {
    const { preview } = this;
    this.preview = null;
    if (preview && this.pending.size === 0 && isSame(preview.leaves, leaves)) this.store(preview.nodes);
    else for (const [index, leaf] of leaves) this.pending.set(index, leaf);
  }

  /** The root after a write, without writing. If the same write follows next, it reuses the hashes. */
  rootAfter(leaves: Leaves): Hash {
    this.flush();
    const nodes = this.nodesAbove(leaves);
    this.preview = { leaves: new Map(leaves), nodes };
    return nodes[this.height].get(0) ?? this.node(this.height, 0);
  }

  root(): Hash {
    this.flush();
    return this.node(this.height, 0);
  }

  leaf(index: number): Hash {
    return this.pending.get(index) ?? this.node(0, index);
  }

  /** The Merkle proof of a leaf: its siblings, leaf level first. */
  proof(leafIndex: number): Hash[] {
    this.flush();
    return Array.from({ length: this.height }, (_, level) => {
      const index = Math.floor(leafIndex / 2 ** level);
      return this.node(level, siblingOf(index));
    });
  }

  private flush(): void {
    if (this.pending.size === 0) return;
    this.store(this.nodesAbove(this.pending));
    this.pending = new Map();
    this.preview = null;
  }

  /** The leaves and all nodes above them after the write, level by level. */
  private nodesAbove(leaves: Leaves): Map<number, Hash>[] {
    const changed = [new Map(leaves)];
    for (let level = 0; level < this.height; level++) {
      const child = (index: number) => changed[level].get(index) ?? this.node(level, index);
      const parents = [...new Set(Array.from(changed[level].keys(), (index) => Math.floor(index / 2)))];
      const children = parents.flatMap((parent) => [child(parent * 2), child(parent * 2 + 1)]);
      const hashes = poseidonBatch(2, Buffer.concat(children));
      changed.push(
        new Map(parents.map((parent, at) => [parent, toHash(hashes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES))])),
      );
    }
    return changed;
  }

  private store(nodes: Map<number, Hash>[]): void {
    nodes.forEach((changed, level) => {
      for (const [index, node] of changed) this.levels[level].set(index, node);
    });
  }

  private node(level: number, index: number): Hash {
    return this.levels[level].get(index) ?? zeroSubtrees(poseidon)[level];
  }
}

/** The value of an empty leaf. */
export const EMPTY_LEAF = ZERO_HASH;

function siblingOf(index: number): number {
  return index % 2 === 0 ? index + 1 : index - 1;
}

function isSame(a: Leaves, b: Leaves): boolean {
  return a.size === b.size && [...a].every(([index, leaf]) => b.get(index)?.equals(leaf));
}
