import { type TreeRebuild } from './rebuild-quarantined-tree';
import { toTable } from './table';

/** A rebuilt tree as text for a terminal. */
export function describeRebuild(rebuild: TreeRebuild): string {
  const { tree, type, seq, nextLeafIndex, queuedAddresses, root, rootNotCompared, republishedFromSlot } = rebuild;
  const table = toTable([
    ['tree', `${tree} (${type})`],
    ['seq', String(seq)],
    ['next leaf', String(nextLeafIndex)],
    ['queued addresses', String(queuedAddresses)],
    ['root', root],
    ['chain', rootNotCompared === null ? 'has this root' : `root not compared: ${rootNotCompared}`],
  ]);
  return `${table}

A running ingest publishes the operations of the tree again, from slot ${republishedFromSlot} on. Until then "fresnel status" shows which
operations are missing. An earlier slot: fresnel trees republish ${tree} --from SLOT
`;
}
