import { type Hash } from '@fresnel/domain/primitives';
import { type IndexedElement } from './indexed-element';

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
