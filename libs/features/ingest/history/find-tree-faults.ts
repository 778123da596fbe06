import { type HistoryFinding } from '@fresnel/domain/chain';
import { keyOf, type Slot } from '@fresnel/domain/primitives';
import {
  compareWithHistory,
  hasFirstOperation,
  hasMissingOperations,
  initialStateOf,
  NO_POSITIONS,
  parseTreeAccount,
  type TreeHead,
  type TreeInfo,
  type TreePositions,
} from '@fresnel/domain/trees';

/** A tree account of the chain, read while the trees had reached its slot. */
export interface ObservedTree {
  info: TreeInfo;
  /** The whole account, read after the tree here: its root history goes on from there. */
  account: Buffer;
  /** StateV2: the position of the next leaf of the output queue, as the queue's account has it. */
  outputQueueEnd: bigint | null;
}

/**
 * Compares the stored trees with the accounts of the chain: each has reached the sequence number and the ends of the queues that were
 * observed, lacks nothing before, and has a root that the chain had at the same sequence number.
 *
 * @param heads the stored trees, at or after the slots of the observations
 * @param slots the first and the last slot of the history: where missing operations are, as far as the trees know
 */
export function findTreeFaults(
  observed: readonly ObservedTree[],
  heads: readonly TreeHead[],
  slots: readonly [Slot, Slot],
): HistoryFinding[] {
  const byTree = new Map(heads.map((head) => [keyOf(head.info.tree), head]));
  return observed.flatMap((tree) => {
    const head = byTree.get(keyOf(tree.info.tree)) ?? null;
    const fault = head && hasFirstOperation(head) ? findFault(tree, head, slots) : findUnknown(tree, slots);
    return fault ? [fault] : [];
  });
}

/** A tree without any operation here. */
function findUnknown({ info, outputQueueEnd }: ObservedTree, [from, to]: readonly [Slot, Slot]): HistoryFinding | null {
  const { seq, queueEnd, inputQueueEnd } = info.observed;
  const initial = initialStateOf(info.type).seq;
  if (seq <= initial && queueEnd + inputQueueEnd + (outputQueueEnd ?? 0n) === 0n) return null;
  const sequenceNumbers: [bigint, bigint] | null = seq > initial ? [initial + 1n, seq] : null;
  return { tree: info.tree, reason: 'tree-missing', sequenceNumbers, slots: [from, to] };
}

function findFault(tree: ObservedTree, head: TreeHead, [from, to]: readonly [Slot, Slot]): HistoryFinding | null {
  const { seq, seen, info } = head;
  const expected = highest(positionsOf(tree), seen);
  const fault = { tree: info.tree, slots: [from, to] as [Slot, Slot] };
  if (head.quarantineReason === null && (hasMissingOperations(head) || isBehind(head, expected))) {
    const sequenceNumbers: [bigint, bigint] | null = expected.seq > seq ? [seq + 1n, expected.seq] : null;
    return { ...fault, reason: 'operations-missing', sequenceNumbers };
  }
  // An account from before the tree here says nothing about its root, as from a node that is behind, or a recorded one.
  const isBehindHere = (parseTreeAccount(info.tree, tree.account, to)?.observed.seq ?? seq) < seq;
  const isEqual = isBehindHere || compareWithHistory(tree.account, head) !== 'different';
  return isEqual && head.quarantineReason === null
    ? null
    : { ...fault, reason: 'root-differs', sequenceNumbers: [seq, seq] };
}

function positionsOf({ info, outputQueueEnd }: ObservedTree): TreePositions {
  const { seq, queueEnd, inputQueueEnd } = info.observed;
  return { ...NO_POSITIONS, seq, queueEnd: outputQueueEnd ?? queueEnd, inputQueueEnd };
}

function highest(one: TreePositions, other: TreePositions): TreePositions {
  const max = (a: bigint, b: bigint) => (a > b ? a : b);
  return {
    ...NO_POSITIONS,
    seq: max(one.seq, other.seq),
    queueEnd: max(one.queueEnd, other.queueEnd),
    inputQueueEnd: max(one.inputQueueEnd, other.inputQueueEnd),
  };
}

function isBehind(head: TreeHead, expected: TreePositions): boolean {
  return expected.seq > head.seq || expected.queueEnd > head.queueEnd || expected.inputQueueEnd > head.inputQueueEnd;
}
