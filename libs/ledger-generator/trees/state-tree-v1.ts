import { type Hash } from '@fresnel/domain/primitives';
import { type TreeInfo } from '@fresnel/domain/trees';
import { EMPTY_LEAF, MerkleTree } from './merkle-tree';

/** Position of an account in its state tree. */
export interface TreePosition {
  leafIndex: number;
  /** Sequence number of the leaf; null in V2 trees. */
  seq: bigint | null;
}

/** A V1 state tree: outputs are appended immediately; a forester later zeroes the leaves in the nullifier queue. */
export class StateTreeV1 {
  readonly nodes: MerkleTree;
  private appended = 0;
  private lastSeq = 0n;
  private readonly queued = new Set<number>();

  constructor(readonly info: TreeInfo) {
    this.nodes = new MerkleTree(info.height);
  }

  /** Sequence number of the last update. */
  get seq(): bigint {
    return this.lastSeq;
  }

  /** Leaf index of the next account. */
  get nextIndex(): number {
    return this.appended;
  }

  /** Leaf indices of consumed accounts whose leaves are not zeroed yet. */
  get nullifierQueue(): readonly number[] {
    return [...this.queued];
  }

  /** Position of the account that is appended after `ahead` others. */
  positionAfter(ahead: number): TreePosition {
    return { leafIndex: this.appended + ahead, seq: this.lastSeq + BigInt(ahead) + 1n };
  }

  append(leaf: Hash): void {
    this.nodes.write(new Map([[this.appended++, leaf]]));
    this.lastSeq++;
  }

  consume(leafIndex: number): void {
    this.queued.add(leafIndex);
  }

  nullify(leafIndices: readonly number[]): void {
    for (const leafIndex of leafIndices) this.queued.delete(leafIndex);
    this.nodes.write(new Map(leafIndices.map((leafIndex) => [leafIndex, EMPTY_LEAF])));
    this.lastSeq += BigInt(leafIndices.length);
  }
}
