import { type Hash, type Pubkey, type Slot, toBase58 } from '@fresnel/domain/primitives';
import { type TreeUpdate } from '@fresnel/domain/state';
import { TREE_UPDATES_CODEC } from './codecs/tree-updates.codec';
import { type SlotReverted } from './slot-reverted';
import { everyPartition, type Topic } from './topic';

/** What ingest tells the provers. */
export type TreeUpdatesMessage = { kind: 'update'; update: TreeUpdate } | SlotReached | SlotReverted;

/** Everything up to this slot was sent, so that a quiet tree still knows how far it is. */
export interface SlotReached {
  kind: 'slot-reached';
  slot: Slot;
  /** The block and its parent; not there where whoever tells of it did not know to. */
  blockhash?: Hash;
  parentBlockhash?: Hash;
}

/** The consumers of `tree-updates`. */
export const PROVER_GROUP = 'prover';

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
      ? [partitionOfTree(message.update.tree.tree, partitionCount)]
      : everyPartition(partitionCount),
  codec: TREE_UPDATES_CODEC,
};

/** The partition of `tree-updates` that a tree's records are in. */
export function partitionOfTree(tree: Pubkey, partitionCount: number): number {
  return tree.readUInt32LE() % partitionCount;
}
