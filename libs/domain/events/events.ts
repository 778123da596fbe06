import { type Hash, type Pubkey } from '@fresnel/domain/primitives';

/** What the compression programs reported in one transaction, in instruction order. */
export type CompressionEvent = TransitionEvent | LeavesNullifiedEvent | AddressesInsertedEvent | BatchEvent;

/** Accounts consumed and created by one call of the light system program. */
export interface TransitionEvent {
  kind: 'transition';
  /** 1: reported through the noop program. 2: pieced together from the system instruction and `InsertIntoQueues`. */
  format: 1 | 2;
  inputs: InputAccount[];
  outputs: OutputAccount[];
  newAddresses: NewAddress[];
  /** V1 trees: number that the tree gave to the first leaf of this event. */
  sequenceNumbers: TreeSequence[];
}

export interface InputAccount {
  /** Hash of the consumed account. */
  hash: Hash;
  /** Set for accounts of V2 trees. */
  nullification: QueuedNullification | null;
}

/** Where a consumed account of a V2 tree waits for its leaf to be nullified. */
export interface QueuedNullification {
  tree: Pubkey;
  leafIndex: number;
  /** Position in the tree's nullifier queue. */
  queueIndex: bigint;
  /** All zero when the caller asked for none. */
  txHash: Hash;
}

export interface OutputAccount {
  hash: Hash;
  leafIndex: number;
  /** V1: the state tree. V2: its output queue. */
  treeAccount: Pubkey;
  /** Null when the system instruction that holds it cannot be read; the leaf is there all the same. */
  body: AccountBody | null;
  /** Wallet behind the associated token account that owns a token account made by compress-and-close. */
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
  /** 8 bytes as stored. */
  discriminator: Buffer;
  bytes: Buffer;
  dataHash: Hash;
}

export interface NewAddress {
  address: Hash;
  tree: Pubkey;
  /** Position in a V2 tree's address queue, 0-based; null for V1 trees, which do not tell. */
  queueIndex: bigint | null;
}

export interface TreeSequence {
  tree: Pubkey;
  seq: bigint;
}

/** V1 state tree: leaves were zeroed; leaf i of the list got number `seq` + i. */
export interface LeavesNullifiedEvent {
  kind: 'leaves-nullified';
  tree: Pubkey;
  leafIndices: bigint[];
  seq: bigint;
}

/** V1 address tree: each update rewrote its low element (number `seq` + 2i) and appended its high one (`seq` + 2i + 1). */
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

/** An element of the sorted list that the tree's leaves make; indices are leaf indices. */
export interface RawElement {
  index: number;
  /** 32 bytes, big endian. */
  value: Hash;
  nextIndex: number;
  nextValue: Hash;
}

/** V2 trees: a batch of a queue entered the tree. */
export interface BatchEvent {
  kind: 'batch-append' | 'batch-nullify' | 'batch-address-append';
  tree: Pubkey;
  batchIndex: bigint;
  zkpBatchIndex: bigint;
  /** Elements covered. */
  zkpBatchSize: bigint;
  /** Append: first leaf index. Nullify: first queue position. Address append: first leaf index, from 1. */
  oldNextIndex: bigint;
  newNextIndex: bigint;
  newRoot: Hash;
  /** Place of the new root in the on-chain ring. */
  rootIndex: number;
  /** The tree's number after the update. */
  seq: bigint;
  outputQueue: Pubkey | null;
}
