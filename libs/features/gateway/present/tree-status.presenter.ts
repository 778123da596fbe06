import { type StoredTree } from '@fresnel/adapters/store-read';
import { type TreeStatus } from '@fresnel/contracts/rpc';
import { toBase58 } from '@fresnel/domain/primitives';
import { queueStartOf, TREE_TYPES, unservableReasonOf } from '@fresnel/domain/trees';
import { presentQueues } from './queue-info.presenter';
import { CLOSURES } from './tree-closures';

export function presentTreeStatus(stored: StoredTree, acceptTreeGaps: boolean): TreeStatus {
  const { head, slot } = stored;
  const { tree, queue, type, height } = head.info;
  const reason = refusalOf(stored, acceptTreeGaps);
  const queues = presentQueues(
    { tree, queue, treeType: type },
    {
      queue: { start: queueStartOf(head), end: head.queueEnd },
      inputQueue: { start: head.inputQueueStart, end: head.inputQueueEnd },
    },
  );
  return {
    tree: toBase58(tree),
    queue: toBase58(queue),
    type: TREE_TYPES[type],
    height,
    capacity: 2n ** BigInt(height),
    nextIndex: BigInt(head.nextIndex),
    root: toBase58(head.root),
    rootSeq: head.seq,
    slot: Math.max(slot ?? 0, head.changes.lastSlot),
    served: reason === null,
    reason,
    queues: queues.map(({ queueType, queueSize }) => ({ queueType, queueSize })),
  };
}

/** Why proofs of a tree are refused, as a sentence for callers; null: they are given. */
export function refusalOf({ head, slot, isUndecided, closure }: StoredTree, acceptGaps: boolean): string | null {
  if (isUndecided) return 'Blocks of two branches were published, and none of them was reverted yet.';
  const reason = unservableReasonOf(head, slot ?? head.changes.lastSlot, acceptGaps);
  if (reason) return reason.message;
  if (closure !== null) return CLOSURES[closure];
  return slot === null ? 'No slot of this tree is applied yet.' : null;
}
