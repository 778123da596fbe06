import { type Hash } from '@fresnel/domain/primitives';

/** One change of a state tree. */
export type StateTreeChange =
  | LeavesAppendedChange
  | LeavesNullifiedChange
  | LeafQueuedChange
  | LeafMigratedChange
  | NullifierQueuedChange
  | StateBatchChange;

/** StateV1: leaves were appended. Leaf i of the list has sequence number `seq` + i. */
export interface LeavesAppendedChange {
  kind: 'leaves-appended';
  seq: bigint;
  leaves: readonly LeafValue[];
}

export interface LeafValue {
  leafIndex: number;
  hash: Hash;
}

/** StateV1: leaves were set to zero. Leaf i of the list has sequence number `seq` + i. */
export interface LeavesNullifiedChange {
  kind: 'leaves-nullified';
  seq: bigint;
  leafIndices: readonly number[];
}

/** StateV2: an account entered the output queue. Its leaf index is also its position in the queue. */
export interface LeafQueuedChange extends LeafValue {
  kind: 'leaf-queued';
}

/**
 * StateV2: the leaf of an account in a V1 tree entered the output queue. The chain does not report its leaf index, which is the
 * next one of the queue.
 */
export interface LeafMigratedChange {
  kind: 'leaf-migrated';
  hash: Hash;
  /** Absent: nobody has counted it. Operations that are published again have it where those around it tell it. */
  leafIndex?: number;
}

/** StateV2: a consumed account entered the input queue. */
export interface NullifierQueuedChange {
  kind: 'nullifier-queued';
  /** 0-based position in the input queue, counted from the creation of the tree. */
  queueIndex: bigint;
  leafIndex: number;
  /** Hash of the account. */
  hash: Hash;
  txHash: Hash;
}

/**
 * StateV2: the leaf indices from `oldNextIndex` inclusive to `newNextIndex` exclusive left the output queue
 * (`append-batch`), or these positions left the input queue (`nullify-batch`).
 */
export interface StateBatchChange {
  kind: 'append-batch' | 'nullify-batch';
  seq: bigint;
  oldNextIndex: bigint;
  newNextIndex: bigint;
  newRoot: Hash;
}

/** StateV2: an entry of the input queue: a consumed account, and the nullifier that replaces its leaf. */
export interface QueuedNullifier extends LeafValue {
  /** Hash of the transaction that consumed the account. */
  txHash: Hash;
  nullifier: Hash;
}
