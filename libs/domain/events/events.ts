import { type Hash, type Pubkey } from '@fresnel/domain/primitives';

/** An event of the compression programs. */
export type CompressionEvent =
  TransitionEvent | LeavesNullifiedEvent | LeafMigratedEvent | AddressesInsertedEvent | BatchEvent;

/** The accounts that one call of the light system program consumed and created. */
export interface TransitionEvent {
  kind: 'transition';
  /** 1: emitted through the noop program. 2: built from the system instruction and `InsertIntoQueues`. */
  format: 1 | 2;
  inputs: InputAccount[];
  outputs: OutputAccount[];
  newAddresses: NewAddress[];
  /** V1 trees: sequence number of the first leaf of this event in each tree. */
  sequenceNumbers: TreeSequence[];
}

export interface InputAccount {
  /** Hash of the consumed account. */
  hash: Hash;
  /** Set for accounts of V2 trees. */
  nullification: QueuedNullification | null;
}

/** The position of a consumed account of a V2 tree in the input queue, where it waits for its nullification. */
export interface QueuedNullification {
  tree: Pubkey;
  leafIndex: number;
  /** Position in the input queue of the tree. */
  queueIndex: bigint;
  /** All zero if the caller did not request a transaction hash. */
  txHash: Hash;
}

export interface OutputAccount {
  hash: Hash;
  leafIndex: number;
  /** V1: the state tree. V2: its output queue. */
  treeAccount: Pubkey;
  /** Null if the system instruction cannot be parsed. The leaf exists nevertheless. */
  body: AccountBody | null;
  /** For a token account created by compress-and-close: the wallet of the associated token account that owns it. */
  ataOwner: Pubkey | null;
}

export interface AccountBody {
  owner: Pubkey;
  lamports: bigint;
  /** 32 bytes, big endian. */
  address: Hash | null;
  data: AccountData | null;
}

export interface AccountData {
  /** 8 bytes. */
  discriminator: Buffer;
  bytes: Buffer;
  dataHash: Hash;
}

export interface NewAddress {
  address: Hash;
  tree: Pubkey;
  /** 0-based position in the address queue of a V2 tree; null for V1 trees. */
  queueIndex: bigint | null;
}

export interface TreeSequence {
  tree: Pubkey;
  seq: bigint;
}

/** V1 state tree: leaves were set to zero. Leaf i of the list has sequence number `seq` + i. */
export interface LeavesNullifiedEvent {
  kind: 'leaves-nullified';
  tree: Pubkey;
  leafIndices: bigint[];
  seq: bigint;
}

/**
 * A leaf was moved from a V1 to a V2 state tree: its value entered the output queue of the V2 tree at the next leaf index,
 * which the transaction does not contain. The leaf in the V1 tree is part of a LeavesNullifiedEvent.
 */
export interface LeafMigratedEvent {
  kind: 'leaf-migrated';
  /** The output queue. */
  queue: Pubkey;
  /** The value of the leaf: the hash of the account. */
  hash: Hash;
}

/**
 * V1 address tree: update i rewrote its low element (sequence number `seq` + 2i) and appended its high one (`seq` + 2i
 * + 1).
 */
export interface AddressesInsertedEvent {
  kind: 'addresses-inserted';
  tree: Pubkey;
  updates: ElementUpdate[];
  seq: bigint;
}

export interface ElementUpdate {
  low: RawElement;
  lowHash: Hash;
  high: RawElement;
  highHash: Hash;
}

/** An element of the sorted list in an address tree. Indices are leaf indices. */
export interface RawElement {
  index: number;
  /** 32 bytes, big endian. */
  value: Hash;
  nextIndex: number;
  nextValue: Hash;
}

/** V2 trees: a batch of a queue was written to the tree. */
export interface BatchEvent {
  kind: 'batch-append' | 'batch-nullify' | 'batch-address-append';
  tree: Pubkey;
  batchIndex: bigint;
  zkpBatchIndex: bigint;
  /** Number of elements. */
  zkpBatchSize: bigint;
  /** Append: first leaf index. Nullify: first queue position. Address append: first leaf index, from 1. */
  oldNextIndex: bigint;
  newNextIndex: bigint;
  newRoot: Hash;
  /** Index of the new root in the root history on the chain. */
  rootIndex: number;
  /** Sequence number of the tree after the update. */
  seq: bigint;
  outputQueue: Pubkey | null;
}
