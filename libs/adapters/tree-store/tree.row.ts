import { toHash, toSlot } from '@fresnel/domain/primitives';
import { type QueuedNullifier } from '@fresnel/domain/trees';
import { type BlockAtSlot, type EntryId } from './tree-store';

/** The columns of a head that belong to the commit that changed the tree last. */
export interface EntryRow {
  entry: EntryId;
  slot: string | null;
  blockhash: Buffer | null;
}

export function toBlockAtSlot({ slot, blockhash }: Pick<EntryRow, 'slot' | 'blockhash'>): BlockAtSlot | null {
  return slot === null ? null : { slot: toSlot(Number(slot)), blockhash: blockhash && toHash(blockhash) };
}

/** A row of an input queue in `state_tree_queue`. */
export interface NullifierRow {
  position: string;
  hash: Buffer;
  leaf_index: string;
  tx_hash: Buffer;
  nullifier: Buffer;
}

export function toQueuedNullifier({
  hash,
  leaf_index: leafIndex,
  tx_hash: txHash,
  nullifier,
}: NullifierRow): QueuedNullifier {
  return { leafIndex: Number(leafIndex), hash: toHash(hash), txHash: toHash(txHash), nullifier: toHash(nullifier) };
}
