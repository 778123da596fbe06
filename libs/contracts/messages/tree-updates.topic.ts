import { type Pubkey, toBase58 } from '@fresnel/domain/primitives';
import { sizeOfChanges } from '@fresnel/domain/trees';
import { TREE_UPDATES_CODEC } from './codecs/tree-updates.codec';
import { everyPartition, type Topic } from './topic';
import { type TreeUpdatesMessage } from './tree-updates.message';

/** Consumer group of `tree-updates`. */
export const PROVER_GROUP = 'prover';

/** A silent block gets a watermark if its slot is the first one in a range of so many slots. */
export const WATERMARK_SLOTS = 1_024;

/** A leaf or an element, as a buffer in an object. */
const BYTES_OF_CHANGE = 200;

/**
 * One record for each address tree that a slot changes or discovers, then a watermark in every partition. Slots without a
 * change get a watermark every `WATERMARK_SLOTS` slots, or when no block follows for some seconds.
 *
 * Produced by ingest, consumed by the prover. The records of a tree are in one partition, in chain order.
 */
export const TREE_UPDATES: Topic<TreeUpdatesMessage> = {
  name: 'tree-updates',
  keyOf: (message) => (message.kind === 'update' ? toBase58(message.update.tree.tree) : String(message.slot)),
  partitionsOf: (message, partitionCount) =>
    message.kind === 'update'
      ? [partitionOfTree(message.update.tree.tree, partitionCount)]
      : everyPartition(partitionCount),
  bytesOf: (message) => (message.kind === 'update' ? BYTES_OF_CHANGE * sizeOfChanges(message.update.changes) : 0),
  codec: TREE_UPDATES_CODEC,
};

/** The partition of `tree-updates` with the records of a tree. */
export function partitionOfTree(tree: Pubkey, partitionCount: number): number {
  return tree.readUInt32LE() % partitionCount;
}
