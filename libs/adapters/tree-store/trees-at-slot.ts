import { type Hash, type Slot } from '@fresnel/domain/primitives';
import { type TreeHead, type TreeInfo } from '@fresnel/domain/trees';
import { type PostgresTreeReads } from './postgres.tree-reads';
import { decodeUndo } from './undo.codec';

/** A tree as it was after a block. */
export interface PastTree {
  info: TreeInfo;
  seq: bigint;
  nextIndex: number;
  /** Null if it was not computed after that block, because the next one followed at once. */
  root: Hash | null;
}

/** Reads the trees as they were at slots near the tip: their before-images reach back 64 changes. */
export class PastTrees {
  private constructor(private readonly trees: readonly StoredTree[]) {}

  static async read(reads: Pick<PostgresTreeReads, 'listHeads' | 'readUndo'>): Promise<PastTrees> {
    const heads = await reads.listHeads();
    const trees: StoredTree[] = [];
    for (const { info, changes, ...state } of heads) {
      // Read after the head: a block that changes the tree meanwhile leaves a record of the head.
      const undo = (await reads.readUndo(info)).map(({ record }) => decodeUndo(record));
      const before = undo.map((record) => ({ ...record.before, until: record.slot }));
      const now = { ...state, changes, until: Infinity };
      trees.push({ info, states: [...before, now] });
    }
    return new PastTrees(trees);
  }

  /**
   * The trees that had changed.
   *
   * @param slot at most the slot up to which all partitions are applied
   * @returns null if a tree has changed too often since
   */
  at(slot: Slot): PastTree[] | null {
    const found: PastTree[] = [];
    for (const { info, states } of this.trees) {
      const state = states.find(({ until }) => until > slot);
      if (!state || state.changes.lastSlot > slot) return null;
      const { seq, nextIndex, root, changes } = state;
      if (changes.count > 0) found.push({ info, seq, nextIndex, root });
    }
    return found;
  }
}

interface StoredTree {
  info: TreeInfo;
  /** In the order of the chain, each until the slot of the block that ended it. */
  states: readonly (Omit<PastTree, 'info'> & Pick<TreeHead, 'changes'> & { until: number })[];
}
