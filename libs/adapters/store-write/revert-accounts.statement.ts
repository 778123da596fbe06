import { columnNames, CONSUMED_COLUMNS, CREATED_COLUMNS } from '@fresnel/adapters/store-schema';
import { type EntityManager } from 'typeorm';
import { deleteUnreferencedSignatures, type ListedSignatures } from './owner-signatures.statement';
import { deleteEmptyHolders, type HolderLists } from './token-holders.statement';

/*
 * Reverts facts. A row of `accounts` joins the facts that remain.
 *
 *                     created is reverted                     consumed is reverted
 *   live              absent     -balance, -signature
 *   spent             tombstone  -both signatures             live       +balance, -signature
 *   tombstone                                                 absent     spend deleted
 *
 * A signature stays listed for an owner while another account of the owner refers to it.
 */

/** Finds the accounts of slots: their transactions contain the hashes of all created and consumed accounts. */
export const FIND_HASHES = `
  SELECT coalesce(array_agg(DISTINCT hash), '{}') AS hashes
  FROM transactions t CROSS JOIN LATERAL unnest(t.created || t.consumed) AS part (hash)
  WHERE t.slot = ANY ($1::bigint[])`;

export const LOCK_ACCOUNTS = `
  SELECT hash FROM accounts
  WHERE hash = ANY ($1::bytea[]) AND (slot_created = ANY ($2::bigint[]) OR spent_slot = ANY ($2::bigint[]))
  ORDER BY hash
  FOR UPDATE`;

/** The locked accounts, and which of their facts remain. */
const CHANGING = `
  changing AS MATERIALIZED (
    SELECT a.*,
      coalesce(slot_created <> ALL ($2::bigint[]), false) AS stays_created,
      coalesce(spent_slot <> ALL ($2::bigint[]), false) AS stays_spent
    FROM accounts a WHERE a.hash = ANY ($1::bytea[])
  )`;

/** Subtracts accounts that were live, and adds accounts that become live. */
export const REVERT_BALANCES = `
  WITH ${CHANGING},
  changed AS (
    INSERT INTO token_holders AS h (mint, owner, balance)
    SELECT mint, token_owner, sum(CASE WHEN stays_created THEN amount ELSE -amount END) FROM changing
    WHERE mint IS NOT NULL AND amount > 0 AND (spent_slot IS NULL OR stays_created AND NOT stays_spent)
    GROUP BY 1, 2 ORDER BY 1, 2
    ON CONFLICT (mint, owner) DO UPDATE SET balance = h.balance + excluded.balance
    RETURNING mint, owner, balance
  )
  SELECT coalesce(array_agg(mint), '{}') AS mints, coalesce(array_agg(owner), '{}') AS owners FROM changed
  WHERE balance = 0`;

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
 * @param slots whose blocks are locked
 */
export async function revertAccounts(manager: EntityManager, slots: readonly number[]): Promise<void> {
  const [{ hashes }] = await manager.query<{ hashes: Buffer[] }[]>(FIND_HASHES, [slots]);
  const locked = await manager.query<{ hash: Buffer }[]>(LOCK_ACCOUNTS, [hashes, slots]);
  if (locked.length === 0) return;
  const changing = [locked.map(({ hash }) => hash), slots];
  const [empty] = await manager.query<HolderLists[]>(REVERT_BALANCES, changing);
  await deleteEmptyHolders(manager, empty);
  const [removed] = await manager.query<ListedSignatures[]>(LIST_REMOVED_SIGNATURES, changing);
  await manager.query(REVERT_FACTS, changing);
  await deleteUnreferencedSignatures(manager, removed);
}
