import { type AddressTreeChange } from './address-changes';
import { type StateTreeChange } from './state-changes';

/** One change of a tree. */
export type TreeChange = AddressTreeChange | StateTreeChange;

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
}

/** The positions after a change; 0 where it has none. */
export function positionsAfter(change: TreeChange): TreePositions {
  const none = { seq: 0n, queueEnd: 0n, inputQueueEnd: 0n };
  switch (change.kind) {
    case 'address-insert':
      return { ...none, seq: change.seq + 2n * BigInt(change.updates.length) - 1n };
    case 'leaves-appended':
      return { ...none, seq: change.seq + BigInt(change.leaves.length) - 1n };
    case 'leaves-nullified':
      return { ...none, seq: change.seq + BigInt(change.leafIndices.length) - 1n };
    case 'address-queued':
      return { ...none, queueEnd: change.queueIndex + 1n };
    case 'leaf-queued':
      return { ...none, queueEnd: BigInt(change.leafIndex) + 1n };
    case 'nullifier-queued':
      return { ...none, inputQueueEnd: change.queueIndex + 1n };
    case 'address-batch':
    case 'append-batch':
    case 'nullify-batch':
      return { ...none, seq: change.seq };
  }
}

/** The higher of two positions, each for itself. */
export function highestPositions(one: TreePositions, other: TreePositions): TreePositions {
  return {
    seq: highest(one.seq, other.seq),
    queueEnd: highest(one.queueEnd, other.queueEnd),
    inputQueueEnd: highest(one.inputQueueEnd, other.inputQueueEnd),
  };
}

function highest(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}

/** Whether any position is above the other one. */
export function isAnyAbove(one: TreePositions, other: TreePositions): boolean {
  return one.seq > other.seq || one.queueEnd > other.queueEnd || one.inputQueueEnd > other.inputQueueEnd;
}
