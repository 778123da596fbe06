import { type Hash, type Hasher, type Slot, toSlot } from '@fresnel/domain/primitives';
import { type IndexedElement } from './indexed-element';
import { initialLeaves, initialStateOf } from './initial-state';
import { NodePages } from './node-pages';
import { isAnyAbove, NO_POSITIONS, type TreePositions } from './tree-changes';
import { type TreeInfo } from './tree-info';

/** The state of a tree without its elements, nodes and queues. */
export interface TreeHead extends TreePositions {
  info: TreeInfo;
  /** Sequence number of the last applied operation. */
  seq: bigint;
  /** Leaf index of the next leaf. */
  nextIndex: number;
  root: Hash;
  /** V2: all positions of the queue of new values below this one are stored. StateV2: that of the output queue. */
  queueEnd: bigint;
  /** StateV2: the first position of the input queue that is not written to the tree yet. */
  inputQueueStart: bigint;
  /** StateV2: all positions of the input queue below this one are stored. */
  inputQueueEnd: bigint;
  /** StateV2: slot of the last block whose migrated leaves are in the output queue. */
  migratedSlot: Slot;
  /** The highest positions seen in operations, applied or not. If above those of the tree, operations are missing. */
  seen: TreePositions;
  /** Why the tree is quarantined: how its stored copy contradicts the chain. Null if it is not quarantined. */
  quarantineReason: string | null;
  /** The number of blocks that changed the tree, and the slot of the last one. */
  changes: { count: number; lastSlot: Slot };
  /** Slots around a fork: a tree account read at these slots may have been read on the orphaned branch. */
  untrusted: { from: Slot; to: Slot } | null;
}

/** The changes of an initial tree. */
export const NO_CHANGES: TreeHead['changes'] = { count: 0, lastSlot: toSlot(0) };

/** Creates a tree in its initial state. */
export function createTree(
  info: TreeInfo,
  hasher: Hasher,
): { head: TreeHead; elements: readonly IndexedElement[]; pages: NodePages } {
  const { elements, seq, nextIndex } = initialStateOf(info.type);
  const pages = new NodePages(() => undefined, hasher);
  const root = pages.writeLeaves(initialLeaves(info.type, hasher), info.height);
  const positions = { ...NO_POSITIONS, seq };
  const progress = { ...positions, nextIndex, root, inputQueueStart: 0n, seen: positions };
  const head = { info, ...progress, quarantineReason: null, changes: NO_CHANGES, untrusted: null };
  return { head, elements, pages };
}

/** The first position of the queue of new values that is not a leaf yet; 0 for V1 trees. AddressV2: leaf 0 was not queued. */
export function queueStartOf({ info, nextIndex }: Pick<TreeHead, 'info' | 'nextIndex'>): bigint {
  if (info.type === 'stateV2') return BigInt(nextIndex);
  return info.type === 'addressV2' ? BigInt(nextIndex - 1) : 0n;
}

/** The order of an operation and the applied ones: `duplicate` changes nothing, `gap` cannot be applied. */
export type SequenceOrder = 'duplicate' | 'next' | 'gap';

/**
 * @param first sequence number of the operation's first step
 * @param last sequence number of its last step
 * @param applied sequence number of the last applied step
 */
export function classifySequence(first: bigint, last: bigint, applied: bigint): SequenceOrder {
  if (last <= applied) return 'duplicate';
  return first === applied + 1n ? 'next' : 'gap';
}

/** Whether operations were seen that are not applied, because others before them are missing. */
export function hasMissingOperations(head: TreeHead): boolean {
  return isAnyAbove(head.seen, head);
}

/**
 * Whether the first operation of a tree is applied, so that its history is indexed from the start. Migrated leaves are counted
 * from any position: the end of a queue that has some is known once a later operation agrees with it.
 */
export function hasFirstOperation({ info, seq, queueEnd, inputQueueEnd, migratedSlot, seen }: TreeHead): boolean {
  const isCounted = migratedSlot > 0 && (seen.queueEnd === 0n || seen.queueEnd > queueEnd);
  return seq > initialStateOf(info.type).seq || inputQueueEnd > 0n || (queueEnd > 0n && !isCounted);
}

/** Why a tree is unservable. `message` is a sentence for callers. */
export interface UnservableReason {
  code: 'history-not-indexed' | 'operations-missing' | 'quarantined';
  message: string;
}

/**
 * Returns why a tree is unservable at `slot`; null if it is servable.
 *
 * The history of a tree is indexed once its first operation was applied, or while its account on the chain is in the
 * initial state. With `acceptGaps` only a quarantine counts: leaves that are not indexed then count as empty.
 */
export function unservableReasonOf(head: TreeHead, slot: Slot, acceptGaps: boolean): UnservableReason | null {
  if (head.quarantineReason)
    return { code: 'quarantined', message: 'The stored copy of this tree contradicts the chain and is quarantined.' };
  if (acceptGaps) return null;
  const observed = { ...NO_POSITIONS, ...head.info.observed };
  const initial = { ...NO_POSITIONS, seq: initialStateOf(head.info.type).seq };
  const hasMissing = hasMissingOperations(head);
  const isOverdue = isAnyAbove(observed, head) && slot >= observed.slot;
  if (!hasFirstOperation(head) && (hasMissing || isAnyAbove(observed, initial))) {
    return {
      code: 'history-not-indexed',
      message: 'The first operations of this tree were not indexed: its history starts before INGEST_START_SLOT.',
    };
  }
  if (hasMissing || isOverdue) {
    return {
      code: 'operations-missing',
      message: 'Operations of this tree are missing; proofs are refused until they are indexed.',
    };
  }
  return null;
}
