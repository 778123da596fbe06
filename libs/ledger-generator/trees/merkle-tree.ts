import { type Hash, ZERO_HASH } from '@fresnel/domain/primitives';
import { poseidon, zeroSubtrees } from '@fresnel/domain/trees';

type Leaves = ReadonlyMap<number, Hash>;

/**
 * A binary Merkle tree that keeps only nodes which are not roots of empty subtrees.
 *
 * ```
 *   level 2 (root)      0          parent of node i: i / 2 rounded down, one level up
 *   level 1           0   1        sibling: the other child of that parent
 *   level 0 (leaves) 0 1 2 3
 * ```
 *
 * Writes are put off until a node above them is asked for, and then each inner node above them is hashed once.
 */
export class MerkleTree {
  private readonly levels: Map<number, Hash>[];
  private waiting = new Map<number, Hash>();
  private previewed: { leaves: Leaves; nodes: Map<number, Hash>[] } | null = null;

  /** @param height levels below the root */
  constructor(readonly height: number) {
    this.levels = Array.from({ length: height + 1 }, () => new Map<number, Hash>());
  }

  /** Writes leaves by leaf index. Of two writes to a leaf the later one holds. */
  write(leaves: Leaves): void {
    const { previewed } = this;
    this.previewed = null;
    if (previewed && this.waiting.size === 0 && isSame(previewed.leaves, leaves)) this.adopt(previewed.nodes);
    else for (const [index, leaf] of leaves) this.waiting.set(index, leaf);
  }

  /** The root that the tree would have after a write. Making that write next costs no further hashing. */
  rootAfter(leaves: Leaves): Hash {
    this.settle();
    const nodes = this.nodesAbove(leaves);
    this.previewed = { leaves: new Map(leaves), nodes };
    return nodes[this.height].get(0) ?? this.node(this.height, 0);
  }

  root(): Hash {
    this.settle();
    return this.node(this.height, 0);
  }

  leaf(index: number): Hash {
    return this.waiting.get(index) ?? this.node(0, index);
  }

  /** The siblings on a leaf's way to the root, leaf level first. */
  proof(leafIndex: number): Hash[] {
    this.settle();
    return Array.from({ length: this.height }, (_, level) => {
      const index = Math.floor(leafIndex / 2 ** level);
      return this.node(level, siblingOf(index));
    });
  }

  private settle(): void {
    if (this.waiting.size === 0) return;
    this.adopt(this.nodesAbove(this.waiting));
    this.waiting = new Map();
    this.previewed = null;
  }

  /** The leaves with every node above them, level by level, as they are after the write. */
  private nodesAbove(leaves: Leaves): Map<number, Hash>[] {
    const changed = [new Map(leaves)];
    for (let level = 0; level < this.height; level++) {
      const child = (index: number) => changed[level].get(index) ?? this.node(level, index);
      const parents = new Set(Array.from(changed[level].keys(), (index) => Math.floor(index / 2)));
      changed.push(
        new Map(Array.from(parents, (parent) => [parent, poseidon([child(parent * 2), child(parent * 2 + 1)])])),
      );
    }
    return changed;
  }

  private adopt(nodes: Map<number, Hash>[]): void {
    nodes.forEach((changed, level) => {
      for (const [index, node] of changed) this.levels[level].set(index, node);
    });
  }

  private node(level: number, index: number): Hash {
    return this.levels[level].get(index) ?? zeroSubtrees(poseidon)[level];
  }
}

/** The leaf of a tree that holds nothing. */
export const EMPTY_LEAF = ZERO_HASH;

function siblingOf(index: number): number {
  return index % 2 === 0 ? index + 1 : index - 1;
}

function isSame(a: Leaves, b: Leaves): boolean {
  return a.size === b.size && [...a].every(([index, leaf]) => b.get(index)?.equals(leaf));
}
