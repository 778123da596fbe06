import { type Slot, toSlot } from '@fresnel/domain/primitives';
import { type AddressInsertChange, type AddressTreeChange } from './address-changes';
import { type LeavesAppendedChange, type LeavesNullifiedChange, type StateTreeChange } from './state-changes';

/** One change of a tree. */
export type TreeChange = AddressTreeChange | StateTreeChange;

/** Whether a change is one of an address tree; all others are of state trees. */
export function isAddressTreeChange(change: TreeChange): change is AddressTreeChange {
  return change.kind === 'address-insert' || change.kind === 'address-queued' || change.kind === 'address-batch';
}

/** The number of elements, leaves and queued values that changes write. The insertion of an address rewrites its low element. */
export function sizeOfChanges(changes: readonly TreeChange[]): number {
  return changes.reduce((sum, change) => sum + sizeOf(change), 0);
}

function sizeOf(change: TreeChange): number {
  switch (change.kind) {
    case 'address-insert':
      return 2 * change.updates.length;
    case 'address-batch':
      return 2 * Number(change.newNextIndex - change.oldNextIndex);
    case 'leaves-appended':
      return change.leaves.length;
    case 'leaves-nullified':
      return change.leafIndices.length;
    case 'append-batch':
    case 'nullify-batch':
      return Number(change.newNextIndex - change.oldNextIndex);
    case 'address-queued':
    case 'leaf-queued':
    case 'leaf-migrated':
    case 'nullifier-queued':
      return 1;
  }
}

/** Positions in the operations of a tree; 0 where it has none. */
export interface TreePositions {
  seq: bigint;
  /** End of the queue of new values: AddressV2, and the output queue of StateV2. */
  queueEnd: bigint;
  /** StateV2: end of the input queue. */
  inputQueueEnd: bigint;
  /** StateV2: slot of the last block with migrated leaves. They have no number, so a repetition is recognised by its slot. */
  migratedSlot: Slot;
}

/** The positions of a tree without operations. */
export const NO_POSITIONS: TreePositions = { seq: 0n, queueEnd: 0n, inputQueueEnd: 0n, migratedSlot: toSlot(0) };

/** The positions after a change in a slot; 0 where it has none. */
export function positionsAfter(change: TreeChange, slot: Slot): TreePositions {
  const none = NO_POSITIONS;
  switch (change.kind) {
    case 'address-insert':
    case 'leaves-appended':
    case 'leaves-nullified':
      return { ...none, seq: lastSeqOf(change) };
    case 'address-queued':
      return { ...none, queueEnd: change.queueIndex + 1n };
    case 'leaf-queued':
      return { ...none, queueEnd: BigInt(change.leafIndex) + 1n };
    case 'leaf-migrated':
      return { ...none, migratedSlot: slot };
    case 'nullifier-queued':
      return { ...none, inputQueueEnd: change.queueIndex + 1n };
    case 'address-batch':
    case 'append-batch':
    case 'nullify-batch':
      return { ...none, seq: change.seq };
  }
}

/** The sequence number of the last step of a change of a V1 tree. */
export function lastSeqOf(change: AddressInsertChange | LeavesAppendedChange | LeavesNullifiedChange): bigint {
  switch (change.kind) {
    case 'address-insert':
      return change.seq + 2n * BigInt(change.updates.length) - 1n;
    case 'leaves-appended':
      return change.seq + BigInt(change.leaves.length) - 1n;
    case 'leaves-nullified':
      return change.seq + BigInt(change.leafIndices.length) - 1n;
  }
}

/** The higher of two positions, each for itself. */
export function highestPositions(one: TreePositions, other: TreePositions): TreePositions {
  return {
    seq: highest(one.seq, other.seq),
    queueEnd: highest(one.queueEnd, other.queueEnd),
    inputQueueEnd: highest(one.inputQueueEnd, other.inputQueueEnd),
    migratedSlot: toSlot(Math.max(one.migratedSlot, other.migratedSlot)),
  };
}

function highest(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}

/** Whether any position is above the other one. */
export function isAnyAbove(one: TreePositions, other: TreePositions): boolean {
  return (
    one.seq > other.seq ||
    one.queueEnd > other.queueEnd ||
    one.inputQueueEnd > other.inputQueueEnd ||
    one.migratedSlot > other.migratedSlot
  );
}
