import { type Hash, type Hasher, type Slot, toSlot } from '@fresnel/domain/primitives';
import { initialLeaves, initialStateOf } from './initial-state';
import { type IndexedElement } from './indexed-element';
import { NodePages } from './node-pages';
import { type AddressTreeType, type TreeInfo } from './tree-info';

export type AddressTreeInfo = TreeInfo & { type: AddressTreeType };

/** The state of an address tree without its elements, nodes and queued addresses. */
export interface AddressTreeHead {
  info: AddressTreeInfo;
  /** Sequence number of the last applied operation. */
  seq: bigint;
  /** Leaf index of the next address. */
  nextIndex: number;
  root: Hash;
  /** AddressV2: all queue positions below this one are stored. */
  queueEnd: bigint;
  /** The highest positions seen in operations, applied or not. If above `seq` or `queueEnd`, operations are missing. */
  seen: { seq: bigint; queueEnd: bigint };
  /** Why the tree is quarantined: how its stored copy contradicts the chain. Null if it is not quarantined. */
  quarantineReason: string | null;
  /** The number of blocks that changed the tree, and the slot of the last one. */
  changes: { count: number; lastSlot: Slot };
  /** Slots around a fork: a tree account read at these slots may have been read on the orphaned branch. */
  untrusted: { from: Slot; to: Slot } | null;
}

/** The changes of an initial tree. */
export const NO_CHANGES: AddressTreeHead['changes'] = { count: 0, lastSlot: toSlot(0) };

/** Creates a tree in its initial state. */
export function createAddressTree(
  info: AddressTreeInfo,
  hasher: Hasher,
): { head: AddressTreeHead; elements: readonly IndexedElement[]; pages: NodePages } {
  const { elements, seq, nextIndex } = initialStateOf(info.type);
  const pages = new NodePages(() => undefined, hasher);
  const root = pages.writeLeaves(initialLeaves(info.type, hasher), info.height);
  const seen = { seq, queueEnd: 0n };
  const progress = { seq, nextIndex, root, queueEnd: 0n, seen };
  const head = { info, ...progress, quarantineReason: null, changes: NO_CHANGES, untrusted: null };
  return { head, elements, pages };
}

/** One change of an address tree. */
export type AddressTreeChange = AddressInsertChange | AddressQueuedChange | AddressBatchChange;

/**
 * AddressV1: elements written by one event. Each update uses two sequence numbers; `seq` is the first one of the first
 * update.
 */
export interface AddressInsertChange {
  kind: 'address-insert';
  seq: bigint;
  updates: readonly AddressUpdate[];
}

export interface AddressUpdate {
  low: IndexedElement;
  lowHash: Hash;
  high: IndexedElement;
  highHash: Hash;
}

/** AddressV2: an address was queued. */
export interface AddressQueuedChange {
  kind: 'address-queued';
  address: Hash;
  /** 0-based queue position, counted from the creation of the tree. */
  queueIndex: bigint;
}

/** AddressV2: the queue positions from `oldNextIndex`-1 inclusive to `newNextIndex`-1 exclusive became leaves. */
export interface AddressBatchChange {
  kind: 'address-batch';
  seq: bigint;
  /** Leaf index of the first address. */
  oldNextIndex: bigint;
  newNextIndex: bigint;
  newRoot: Hash;
}

/** The number of elements and queued addresses that changes write. An insertion rewrites its low element. */
export function changedElements(changes: readonly AddressTreeChange[]): number {
  return changes.reduce((sum, change) => sum + changedElementsOf(change), 0);
}

function changedElementsOf(change: AddressTreeChange): number {
  switch (change.kind) {
    case 'address-insert':
      return 2 * change.updates.length;
    case 'address-queued':
      return 1;
    case 'address-batch':
      return 2 * Number(change.newNextIndex - change.oldNextIndex);
  }
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
export function hasMissingOperations({ seq, queueEnd, seen }: AddressTreeHead): boolean {
  return seen.seq > seq || seen.queueEnd > queueEnd;
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
export function unservableReasonOf(head: AddressTreeHead, slot: Slot, acceptGaps: boolean): UnservableReason | null {
  if (head.quarantineReason)
    return { code: 'quarantined', message: 'The stored copy of this tree contradicts the chain and is quarantined.' };
  if (acceptGaps) return null;
  const { seq } = initialStateOf(head.info.type);
  const { observed } = head.info;
  const isInitial = head.seq === seq && head.queueEnd === 0n;
  const hasMissing = hasMissingOperations(head);
  const isBehindObserved = observed.seq > head.seq || observed.queueEnd > head.queueEnd;
  const isOverdue = isBehindObserved && slot >= observed.slot;
  const startedBefore = isInitial && (hasMissing || observed.seq > seq || observed.queueEnd > 0n);
  if (startedBefore) {
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
