import { type Hash } from '@fresnel/domain/primitives';
import { type TreeInfo } from '@fresnel/domain/trees';
import { EMPTY_LEAF, MerkleTree } from './merkle-tree';

/** Where an account will stand in its state tree. */
export interface TreePosition {
  leafIndex: number;
  /** Number that the tree gives to the leaf; null in V2 trees. */
  seq: bigint | null;
}

/** A V1 state tree: leaves are appended at once; consumed ones wait in the nullifier queue until a forester zeroes them. */
export class StateTreeV1 {
  readonly nodes: MerkleTree;
  private nextIndex = 0;
  private lastSeq = 0n;
  private readonly waiting = new Set<number>();

  constructor(readonly info: TreeInfo) {
    this.nodes = new MerkleTree(info.height);
  }

  /** Number of the last operation. */
  get seq(): bigint {
    return this.lastSeq;
  }

  /** Leaf indices of consumed accounts that still stand in the tree. */
  get nullifierQueue(): readonly number[] {
    return [...this.waiting];
  }

  /** Where the account after `ahead` others will go. */
  positionAfter(ahead: number): TreePosition {
    return { leafIndex: this.nextIndex + ahead, seq: this.lastSeq + BigInt(ahead) + 1n };
  }

  append(leaf: Hash): void {
    this.nodes.write(new Map([[this.nextIndex++, leaf]]));
    this.lastSeq++;
  }

  consume(leafIndex: number): void {
    this.waiting.add(leafIndex);
  }

  nullify(leafIndices: readonly number[]): void {
    for (const leafIndex of leafIndices) this.waiting.delete(leafIndex);
    this.nodes.write(new Map(leafIndices.map((leafIndex) => [leafIndex, EMPTY_LEAF])));
    this.lastSeq += BigInt(leafIndices.length);
  }
}
