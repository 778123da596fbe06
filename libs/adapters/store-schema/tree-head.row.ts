import { type Slot, toHash, toPubkey, toSlot } from '@fresnel/domain/primitives';
import { isAddressTree, requireTreeType, TREE_TYPES, type TreeHead } from '@fresnel/domain/trees';

/** A row of `address_trees` or `state_trees` as the driver returns it: u64 and bigint arrive as text. */
export interface TreeRow {
  tree: Buffer;
  queue: Buffer;
  tree_type: number;
  height: number;
  root_history_capacity: string;
  owner: Buffer | null;
  observed_slot: string;
  observed_seq: string;
  observed_next_index: string;
  observed_queue_end: string;
  observed_root: Buffer | null;
  seq: string;
  next_index: string;
  root: Buffer;
  queue_end: string;
  seen_seq: string;
  seen_queue_end: string;
  /** The columns of input queues and migrated leaves are those of `state_trees` only. */
  observed_input_queue_end?: string;
  input_queue_start?: string;
  input_queue_end?: string;
  migrated_slot?: string;
  seen_input_queue_end?: string;
  seen_migrated_slot?: string;
  quarantine_reason: string | null;
  change_count: string;
  last_changed_slot: string;
  untrusted_from: string | null;
  untrusted_to: string | null;
}

export function toTreeRow(head: TreeHead): TreeRow {
  const { info, seq, nextIndex, root, queueEnd, seen, quarantineReason, changes, untrusted } = head;
  const { observed } = info;
  const ofStateTree = {
    observed_input_queue_end: String(observed.inputQueueEnd),
    input_queue_start: String(head.inputQueueStart),
    input_queue_end: String(head.inputQueueEnd),
    migrated_slot: String(head.migratedSlot),
    seen_input_queue_end: String(seen.inputQueueEnd),
    seen_migrated_slot: String(seen.migratedSlot),
  };
  return {
    tree: info.tree,
    queue: info.queue,
    tree_type: TREE_TYPES[info.type],
    height: info.height,
    root_history_capacity: String(info.rootHistoryCapacity),
    owner: info.owner,
    observed_slot: String(observed.slot),
    observed_seq: String(observed.seq),
    observed_next_index: String(observed.nextIndex),
    observed_queue_end: String(observed.queueEnd),
    observed_root: observed.root,
    seq: String(seq),
    next_index: String(nextIndex),
    root,
    queue_end: String(queueEnd),
    seen_seq: String(seen.seq),
    seen_queue_end: String(seen.queueEnd),
    quarantine_reason: quarantineReason,
    change_count: String(changes.count),
    last_changed_slot: String(changes.lastSlot),
    untrusted_from: untrusted && String(untrusted.from),
    untrusted_to: untrusted && String(untrusted.to),
    ...(isAddressTree(info) ? {} : ofStateTree),
  };
}

export function toTreeHead(row: TreeRow): TreeHead {
  const info = {
    tree: toPubkey(row.tree),
    queue: toPubkey(row.queue),
    type: requireTreeType(row.tree_type),
    height: row.height,
    rootHistoryCapacity: Number(row.root_history_capacity),
    owner: row.owner && toPubkey(row.owner),
    observed: {
      slot: toSlot(Number(row.observed_slot)),
      seq: BigInt(row.observed_seq),
      nextIndex: BigInt(row.observed_next_index),
      queueEnd: BigInt(row.observed_queue_end),
      inputQueueEnd: BigInt(row.observed_input_queue_end ?? 0),
      root: row.observed_root && toHash(row.observed_root),
    },
  };
  const [untrustedFrom, untrustedTo] = [row.untrusted_from, row.untrusted_to].map(toSlotOrNull);
  return {
    info,
    seq: BigInt(row.seq),
    nextIndex: Number(row.next_index),
    root: toHash(row.root),
    queueEnd: BigInt(row.queue_end),
    inputQueueStart: BigInt(row.input_queue_start ?? 0),
    inputQueueEnd: BigInt(row.input_queue_end ?? 0),
    migratedSlot: toSlot(Number(row.migrated_slot ?? 0)),
    seen: {
      seq: BigInt(row.seen_seq),
      queueEnd: BigInt(row.seen_queue_end),
      inputQueueEnd: BigInt(row.seen_input_queue_end ?? 0),
      migratedSlot: toSlot(Number(row.seen_migrated_slot ?? 0)),
    },
    quarantineReason: row.quarantine_reason,
    changes: { count: Number(row.change_count), lastSlot: toSlot(Number(row.last_changed_slot)) },
    untrusted: untrustedFrom !== null && untrustedTo !== null ? { from: untrustedFrom, to: untrustedTo } : null,
  };
}

export function toSlotOrNull(text: string | null): Slot | null {
  return text === null ? null : toSlot(Number(text));
}
