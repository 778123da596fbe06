import { type Slot, toBase58 } from '@fresnel/domain/primitives';
import { type TreeUpdate } from '@fresnel/domain/state';
import { TREE_UPDATES_CODEC } from './codecs/tree-updates.codec';
import { type SlotReverted } from './slot-reverted';
import { everyPartition, type Topic } from './topic';

/** What ingest tells the provers. */
export type TreeUpdatesMessage =
  | { kind: 'update'; update: TreeUpdate }
  /** Everything up to this slot was sent, so that a quiet tree still knows how far it is. */
  | { kind: 'slot-reached'; slot: Slot }
  | SlotReverted;

/**
 * One record for each address tree that a slot touches or makes known, and one for each slot in every partition.
 *
 * Produced by ingest, consumed by provers. A tree's records are in one partition, in the chain's order.
 */
export const TREE_UPDATES: Topic<TreeUpdatesMessage> = {
  name: 'tree-updates',
  keyOf: (message) => (message.kind === 'update' ? toBase58(message.update.tree.tree) : String(message.slot)),
  partitionsOf: (message, partitionCount) =>
    message.kind === 'update'
      ? [message.update.tree.tree.readUInt32LE() % partitionCount]
      : everyPartition(partitionCount),
  codec: TREE_UPDATES_CODEC,
};
