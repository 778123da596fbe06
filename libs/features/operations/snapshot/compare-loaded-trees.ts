import { SnapshotError, type SnapshotManifest } from '@fresnel/adapters/chain/history';
import { keyOf, toBase58 } from '@fresnel/domain/primitives';
import { type TreeHead } from '@fresnel/domain/trees';

/**
 * Compares the trees that were computed from the transactions of a snapshot with those that its manifest names.
 *
 * @param heads when the anchor is applied; a tree that has gone on is not compared
 * @throws SnapshotError that names the first difference
 */
export function compareLoadedTrees({ trees, anchor }: SnapshotManifest, heads: readonly TreeHead[]): void {
  const byTree = new Map(heads.map((head) => [keyOf(head.info.tree), head]));
  for (const { tree, seq, nextIndex, root } of trees) {
    const head = byTree.get(keyOf(tree));
    if (head && head.changes.lastSlot > anchor.slot) continue;
    const isEqual = head?.seq === seq && head.nextIndex === nextIndex && root?.equals(head.root) !== false;
    if (isEqual) continue;
    const named = `sequence number ${seq}, next index ${nextIndex} and root ${root ? toBase58(root) : 'unknown'}`;
    const computed = head
      ? `sequence number ${head.seq}, next index ${head.nextIndex} and root ${toBase58(head.root)}`
      : 'nothing';
    throw new SnapshotError(
      `the manifest names ${named} of tree ${toBase58(tree)}, and its transactions give ${computed}: remove this index, and load it from another mirror`,
    );
  }
}
