import { type EntityManager } from 'typeorm';

/** So many revisions are kept, besides one that stands for all before them. */
const KEPT_REVISIONS = 100_000;
/** Old revisions are merged each time that the revision is a multiple of this. */
const MERGE_EVERY = 1_000;

const ADD_REVISION = `
  WITH grown AS (UPDATE indexer_state SET revision = revision + 1 RETURNING revision),
  added AS (INSERT INTO revisions (revision, reverted_to, amended) SELECT revision, $1, $2::bigint[] FROM grown)
  SELECT revision FROM grown`;

/** A client that has missed any of them is sent all slots again from the lowest one that they changed. */
const MERGE_REVISIONS = `
  UPDATE revisions SET amended = NULL, reverted_to = (
    SELECT min(coalesce(r.reverted_to, (SELECT min(place) >> 16 FROM unnest(r.amended) AS place) - 1))
    FROM revisions r WHERE r.revision <= $1)
  WHERE revision = $1`;
const DELETE_REVISIONS = `DELETE FROM revisions WHERE revision < $1`;

/**
 * Notes that the indexed slot was lowered: what follows from later slots was removed. The transaction has locked the row of
 * `indexer_state`.
 *
 * @param slot the new indexed slot
 */
export async function addRevert(manager: EntityManager, slot: number): Promise<void> {
  await addRevision(manager, slot, null);
}

/** The place of a transaction on the indexed branch. */
export interface TransactionPlace {
  slot: number;
  /** In the block. */
  index: number;
}

/**
 * Notes that transactions of indexed slots were added or have changed. The transaction has locked the row of `indexer_state`.
 *
 * @param places in any order; an empty list is no revision
 */
export async function addAmendment(manager: EntityManager, places: readonly TransactionPlace[]): Promise<void> {
  if (places.length === 0) return;
  const amended = places.map(({ slot, index }) => (BigInt(slot) << 16n) + BigInt(index));
  await addRevision(manager, null, amended);
}

async function addRevision(manager: EntityManager, revertedTo: number | null, amended: bigint[] | null): Promise<void> {
  const [row] = await manager.query<{ revision: string }[]>(ADD_REVISION, [revertedTo, amended]);
  const revision = Number(row.revision);
  if (revision % MERGE_EVERY === 0 && revision > KEPT_REVISIONS)
    await mergeRevisions(manager, revision - KEPT_REVISIONS);
}

/** Replaces the revisions up to one by that one, which stands for all of them. */
export async function mergeRevisions(manager: EntityManager, upTo: number): Promise<void> {
  await manager.query(MERGE_REVISIONS, [upTo]);
  await manager.query(DELETE_REVISIONS, [upTo]);
}
