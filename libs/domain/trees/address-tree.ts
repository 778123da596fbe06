import { type Hash, type Hasher, type Slot, toSlot } from '@fresnel/domain/primitives';
import { initialLeaves, initialStateOf } from './initial-state';
import { type IndexedElement } from './indexed-element';
import { NodePages } from './node-pages';
import { type AddressTreeType, type TreeInfo } from './tree-info';

export type AddressTreeInfo = TreeInfo & { type: AddressTreeType };

/** Everything about an address tree except its elements, nodes and waiting addresses. */
export interface AddressTreeHead {
  info: AddressTreeInfo;
  /** The chain's number of the last operation applied. */
  seq: bigint;
  /** Where the next address goes. */
  nextIndex: number;
  root: Hash;
  /** AddressV2: every address of the queue below this position is known. */
  queueEnd: bigint;
  /** What the chain was seen to have done, applied or not. Above `seq` or `queueEnd`: operations are missing. */
  seen: { seq: bigint; queueEnd: bigint };
  /** Why this copy of the tree contradicts the chain; such a tree is closed until it is rebuilt. */
  quarantineReason: string | null;
  /** How many blocks have changed it, and the slot of the last of them. */
  changes: { count: number; lastSlot: Slot };
  /** Where the chain has left blocks: a tree account read at these slots may have been that of another branch. */
  untrusted: { from: Slot; to: Slot } | null;
}

/** A tree that no block has changed. */
export const NO_CHANGES: AddressTreeHead['changes'] = { count: 0, lastSlot: toSlot(0) };

/** The untouched tree with the leaves and nodes it starts with. */
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

/** One change of an address tree, in the chain's order. */
export type AddressTreeChange = AddressInsertChange | AddressQueuedChange | AddressBatchChange;

/** AddressV1: elements rewritten by one event. Each update uses two sequence numbers, the first one's low is `seq`. */
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

/** AddressV2: an address took its place in the queue. */
export interface AddressQueuedChange {
  kind: 'address-queued';
  address: Hash;
  /** 0-based position in the queue since the tree began. */
  queueIndex: bigint;
}

/** AddressV2: the queue's positions `oldNextIndex`-1 up to, not including, `newNextIndex`-1 became leaves. */
export interface AddressBatchChange {
  kind: 'address-batch';
  seq: bigint;
  /** Leaf index of the first address. */
  oldNextIndex: bigint;
  newNextIndex: bigint;
  newRoot: Hash;
}

/** How a numbered operation stands to what was applied: `repeat` changes nothing, `gap` cannot be applied. */
export type SequenceOrder = 'repeat' | 'next' | 'gap';

/**
 * @param first number of the operation's first step
 * @param last number of its last step
 * @param applied number of the last step applied so far
 */
export function classifySequence(first: bigint, last: bigint, applied: bigint): SequenceOrder {
  if (last <= applied) return 'repeat';
  return first === applied + 1n ? 'next' : 'gap';
}

/** Why no proof may be served from a tree. `code` is for machines, `sentence` for callers. */
export interface UnservableReason {
  code: 'beginning-unseen' | 'operations-missing' | 'quarantined';
  message: string;
}

/**
 * Whether the copy of a tree is the whole tree as of `slot`.
 *
 * The beginning counts as seen once the tree's first operation was applied, or while the chain itself says that there
 * was none. `acceptGaps` lifts all but `quarantined`: leaves never seen then count as empty.
 */
export function unservableReasonOf(head: AddressTreeHead, slot: Slot, acceptGaps: boolean): UnservableReason | null {
  if (head.quarantineReason)
    return { code: 'quarantined', message: 'This copy of the tree contradicts the chain and is closed.' };
  if (acceptGaps) return null;
  const { seq } = initialStateOf(head.info.type);
  const { observed } = head.info;
  const isUntouched = head.seq === seq && head.queueEnd === 0n;
  const hasMissing = head.seen.seq > head.seq || head.seen.queueEnd > head.queueEnd;
  const chainWasFurther = observed.seq > head.seq || observed.queueEnd > head.queueEnd;
  const isOverdue = chainWasFurther && slot >= observed.slot;
  const beganBefore = isUntouched && (hasMissing || observed.seq > seq || observed.queueEnd > 0n);
  if (beganBefore) {
    return {
      code: 'beginning-unseen',
      message: 'The beginning of this tree was not indexed: its history starts before INGEST_START_SLOT.',
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
