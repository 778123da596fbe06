import { type Hash, type Pubkey } from '@fresnel/domain/primitives';
import { requireTreeType, type TreeType } from '@fresnel/domain/trees';
import { RECORD_JOINS } from './account-record';
import { NEXT_SLOT_ID } from './indexed-slot';
import {
  INDEX_WITH_PROOF_SLOTS,
  PROOF_SLOT_COLUMNS,
  type ProofSlotRow,
  type ProofSlots,
  proofSlotsOf,
} from './proof-slots.query';
import { IS_QUEUED } from './queued-leaf';
import { type Reader, type Statement } from './reader';

/** Where the hash of an account is stored on the chain. */
export interface LeafPlace {
  hash: Hash;
  tree: Pubkey;
  queue: Pubkey;
  treeType: TreeType;
  rootHistoryCapacity: bigint;
  leafIndex: number;
  /** Whether the hash is still in the output queue of a V2 tree. */
  isQueued: boolean;
  /** Whether the account is consumed. Its leaf stays until it is nullified. */
  isSpent: boolean;
}

/** One row for each hash, in the order of the request. As of the indexed slot, also of accounts that are spent. */
export const LEAF_PLACES: Statement = {
  name: 'leaf-places',
  text: `
    SELECT ${PROOF_SLOT_COLUMNS}, found.*
    FROM ${INDEX_WITH_PROOF_SLOTS} CROSS JOIN unnest($1::bytea[]) WITH ORDINALITY AS list (key, place)
    LEFT JOIN LATERAL (
      SELECT a.hash, a.leaf_index, t.tree, t.queue, t.tree_type, t.root_history_capacity, ${IS_QUEUED} AS is_queued,
        spend.hash IS NOT NULL AS is_spent
      FROM accounts a ${RECORD_JOINS}
      WHERE a.hash = list.key AND a.created_by < ${NEXT_SLOT_ID}
    ) found ON true
    ORDER BY list.place`,
};

interface PlaceColumns {
  hash: Hash;
  leaf_index: string;
  tree: Pubkey;
  queue: Pubkey;
  tree_type: number;
  root_history_capacity: string;
  is_queued: boolean;
  is_spent: boolean;
}

type Row = ProofSlotRow & (PlaceColumns | { hash: null });

/**
 * Finds the leaves of accounts, and the slots that their proofs need.
 *
 * @param hashes at least one
 * @returns null for each unknown hash
 * @throws NothingIndexedError
 */
export async function findLeafPlaces(
  reader: Reader,
  hashes: readonly Hash[],
): Promise<ProofSlots & { items: (LeafPlace | null)[] }> {
  const rows = await reader.query<Row>(LEAF_PLACES, [hashes]);
  return { ...proofSlotsOf(rows), items: rows.map((row) => (row.hash === null ? null : toLeafPlace(row))) };
}

function toLeafPlace(row: PlaceColumns): LeafPlace {
  return {
    hash: row.hash,
    tree: row.tree,
    queue: row.queue,
    treeType: requireTreeType(row.tree_type),
    rootHistoryCapacity: BigInt(row.root_history_capacity),
    leafIndex: Number(row.leaf_index),
    isQueued: row.is_queued,
    isSpent: row.is_spent,
  };
}
