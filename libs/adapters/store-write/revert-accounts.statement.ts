import { columnNames, CONSUMED_COLUMNS, CREATED_COLUMNS } from '@fresnel/adapters/store-schema';
import { type EntityManager } from 'typeorm';
import { deleteUnreferencedSignatures, type ListedSignatures } from './owner-signatures.statement';

/*
 * Reverts facts. A row of `accounts` joins the facts that remain.
 *
 *                     created is reverted                     consumed is reverted
 *   live              absent     -change, -signature
 *   spent             tombstone  -both of both                live       -change, -signature
 *   tombstone                                                 absent     spend deleted
 *
 * A signature stays listed for an owner while another account of the owner refers to it.
 */

/** Finds the accounts of slots: their transactions contain the hashes of all created and consumed accounts. */
export const FIND_HASHES = `
  SELECT coalesce(array_agg(DISTINCT hash), '{}') AS hashes
  FROM transactions t CROSS JOIN LATERAL unnest(t.created || t.consumed) AS part (hash)
  WHERE t.slot = ANY ($1::bigint[])`;

/** The accounts with facts of the slots, and which of their facts remain. */
const CHANGING = `
  changing AS MATERIALIZED (
    SELECT a.*,
      coalesce(slot_created <> ALL ($2::bigint[]), false) AS stays_created,
      coalesce(spent_slot <> ALL ($2::bigint[]), false) AS stays_spent
    FROM accounts a
    WHERE a.hash = ANY ($1::bytea[]) AND (slot_created = ANY ($2::bigint[]) OR spent_slot = ANY ($2::bigint[]))
  )`;

/** Deletes the changes of balances that followed from the facts. The indexed slot must be below them. */
export const DELETE_HOLDER_CHANGES = `
  WITH ${CHANGING},
  removed AS (
    SELECT slot_created AS slot, hash, false AS is_spend FROM changing WHERE NOT stays_created
    UNION ALL
    SELECT spent_slot, hash, true FROM changing WHERE spent_slot IS NOT NULL AND NOT (stays_created AND stays_spent)
  )
  DELETE FROM holder_changes h USING removed r
  WHERE h.slot = r.slot AND h.hash = r.hash AND h.is_spend = r.is_spend`;

/** The signatures that the reverted facts listed for owners. A tombstone lists none. */
export const LIST_REMOVED_SIGNATURES = `
  WITH ${CHANGING},
  removed AS (
    SELECT owner, token_owner, slot_created AS slot, created_signature AS signature FROM changing
    WHERE owner IS NOT NULL AND NOT stays_created
    UNION
    SELECT owner, token_owner, spent_slot, spent_signature FROM changing
    WHERE owner IS NOT NULL AND spent_slot IS NOT NULL AND NOT (stays_created AND stays_spent)
  )
  SELECT coalesce(array_agg(owner), '{}') AS owners, coalesce(array_agg(token_owner), '{}') AS "tokenOwners",
    coalesce(array_agg(slot), '{}') AS slots, coalesce(array_agg(signature), '{}') AS signatures
  FROM removed`;

function setToNull(columns: Readonly<Record<string, string>>): string {
  return columnNames(columns)
    .map((column) => `${column} = NULL`)
    .join(', ');
}

/** Deletes a row, or one of the two facts in it. */
export const REVERT_FACTS = `
  WITH ${CHANGING},
  deleted AS (
    DELETE FROM accounts a USING changing c WHERE a.hash = c.hash AND NOT c.stays_created AND NOT c.stays_spent
  ),
  tombstoned AS (
    UPDATE accounts a SET ${setToNull(CREATED_COLUMNS)}
    FROM changing c WHERE a.hash = c.hash AND NOT c.stays_created AND c.stays_spent
  )
  UPDATE accounts a SET ${setToNull(CONSUMED_COLUMNS)}
  FROM changing c WHERE a.hash = c.hash AND c.stays_created AND NOT c.stays_spent`;

/**
 * Reverts the account facts of slots, and what followed from them. The transactions of the slots must still be stored.
 *
 * @param slots above the indexed slot
 */
export async function revertAccounts(manager: EntityManager, slots: readonly number[]): Promise<void> {
  const [{ hashes }] = await manager.query<{ hashes: Buffer[] }[]>(FIND_HASHES, [slots]);
  if (hashes.length === 0) return;
  const changing = [hashes, slots];
  await manager.query(DELETE_HOLDER_CHANGES, changing);
  const [removed] = await manager.query<ListedSignatures[]>(LIST_REMOVED_SIGNATURES, changing);
  await manager.query(REVERT_FACTS, changing);
  await deleteUnreferencedSignatures(manager, removed);
}
