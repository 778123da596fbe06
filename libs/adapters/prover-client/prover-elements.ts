import { FresnelError, type Hash, HASH_BYTES } from '@fresnel/domain/primitives';

/** The queues of a tree that are asked for; null: not asked. A tree has either an address queue or the other two. */
export interface QueueElementsRequest {
  outputs: QueueRequest | null;
  inputs: QueueRequest | null;
  addresses: QueueRequest | null;
}

/** Which entries of a queue are asked for. */
export interface QueueRequest {
  /** Position of the first entry, counted from the creation of the tree; null: the first that waits. */
  startIndex: bigint | null;
  /** The most entries, at most `MAX_QUEUE_ELEMENTS`. */
  limit: number;
  /** Entries of each hash chain, at least 1. The entries of state trees are cut to a multiple of it. */
  zkpBatchSize: number;
}

/** Entries of the queues of a tree with the nodes that update the tree, all of one state of the tree. */
export interface QueueElements {
  /** The tree contains all blocks up to this slot. */
  slot: number;
  /** The block at that slot; null if it is not known. */
  blockhash: Hash | null;
  root: Hash;
  /** The sequence number of that root on the chain. */
  rootSeq: bigint;
  /** The number of leaves. */
  nextIndex: bigint;
  outputs: OutputElement[];
  inputs: InputElement[];
  addresses: AddressElement[];
  /** Of each batch: of account hashes, of nullifiers, and of addresses. */
  chains: Record<'outputs' | 'inputs' | 'addresses', Hash[]>;
  /**
   * Records of `NODE_BYTES`, by level, then from the left, without duplicates: leaves, or low elements of address trees, with
   * their paths up to the root and the siblings on these.
   */
  nodes: Buffer[];
  /** Address trees: on each level the rightmost node that is a left child, leaf level first. Empty for state trees. */
  frontier: Hash[];
}

/** The record of a node: level (1) · position from the left (7, big endian) · hash (32) */
export const NODE_BYTES = 8 + HASH_BYTES;

/** An account in an output queue. Its leaf index is also its position in the queue. */
export interface OutputElement {
  leafIndex: number;
  accountHash: Hash;
  /** The current value of its leaf: zero bytes, or the nullifier if it was nullified before it is appended. */
  leaf: Hash;
}

/** A consumed account in an input queue. */
export interface InputElement {
  queueIndex: bigint;
  leafIndex: number;
  accountHash: Hash;
  txHash: Hash;
  nullifier: Hash;
  /** The current value of its leaf: the account hash, or zero bytes if the account is not appended yet. */
  leaf: Hash;
}

/** An address in an address queue, with its low element. */
export interface AddressElement {
  queueIndex: bigint;
  address: Hash;
  lowElementLeafIndex: number;
  lowElementValue: Hash;
  lowElementNextIndex: number;
  lowElementNextValue: Hash;
}

/** The entry at the requested first position has left the queue. */
export class QueueStartPassedError extends FresnelError {
  readonly code = 'queue-start-passed';
  readonly isRetryable = false;

  constructor(
    readonly startIndex: bigint,
    readonly firstIndex: bigint,
  ) {
    super(`The queue starts at index ${firstIndex}, after the requested index ${startIndex}.`);
  }
}
