import { type LeafMigratedChange, type TreeChange } from '@fresnel/domain/trees';
import { type TreeUpdate } from './fold-tree-changes';

/** An update of a V2 state tree, as its block is known. */
export interface KnownUpdate {
  update: TreeUpdate;
  /** Whether all transactions of the block can be read. */
  isWhole: boolean;
}

export interface CountedUpdates {
  updates: TreeUpdate[];
  /** The leaf index of the next leaf; null: not known. */
  end: number | null;
}

/**
 * Counts the migrated leaves of a V2 state tree from the outputs around them, whose leaf indices the chain reports:
 *
 * ```
 *   changes      migrated   output 7   migrated │ migrated   output 10 │ migrated   output 13
 *   leaf index      6          7          8     │    9          10     │    -          13      11 or 12: something is missing
 * ```
 *
 * Leaves beside something that is missing stay without a leaf index, as far as that shows.
 *
 * @param known in chain order; no block between them changes the tree
 * @param end the leaf index of the first leaf; null: not known
 */
export function countMigratedLeaves(known: readonly KnownUpdate[], end: number | null): CountedUpdates {
  const indices = new Map<TreeChange, number>();
  let next = end;
  /** Migrated leaves since the last output. */
  let open: LeafMigratedChange[] = [];
  for (const { update, isWhole } of known) {
    if (!isWhole) {
      next = null;
      open = [];
      continue;
    }
    for (const change of update.changes) {
      if (change.kind === 'leaf-migrated') {
        open.push(change);
        if (next !== null) indices.set(change, next++);
      } else if (change.kind === 'leaf-queued') {
        const { leafIndex } = change;
        const isMissingBefore = next !== null && next !== leafIndex;
        if (isMissingBefore) for (const leaf of open) indices.delete(leaf);
        else for (const [at, leaf] of open.entries()) indices.set(leaf, leafIndex - open.length + at);
        next = leafIndex + 1;
        open = [];
      }
    }
  }
  const updates = known.map(({ update }) => {
    return { ...update, changes: update.changes.map((change) => counted(change, indices)) };
  });
  return { updates, end: next };
}

function counted(change: TreeChange, indices: ReadonlyMap<TreeChange, number>): TreeChange {
  const leafIndex = indices.get(change);
  return change.kind === 'leaf-migrated' && leafIndex !== undefined ? { ...change, leafIndex } : change;
}
