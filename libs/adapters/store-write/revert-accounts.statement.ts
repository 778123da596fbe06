import { type EntityManager } from 'typeorm';
import { deleteUnreferencedSignatures, type ListedSignatures } from './owner-signatures.statement';
import { deleteEmptyHolders, type HolderLists } from './token-holders.statement';

/*
 * Facts are taken back as they were applied: a row of `accounts` is the join of those that are left.
 *
 *                     created is taken back                   consumed is taken back
 *   live              absent     -balance, -signature
 *   spent             tombstone  -both signatures             live       +balance, -signature
 *   tombstone                                                 absent     spend forgotten
 *
 * A signature of an owner stays where another account of the owner is a reason for it.
 */

/** The transactions of a slot name every account that it created or consumed. */
export const FIND_HASHES = `
  SELECT coalesce(array_agg(DISTINCT hash), '{}') AS hashes
  FROM transactions t CROSS JOIN LATERAL unnest(t.created || t.consumed) AS part (hash)
  WHERE t.slot = ANY ($1::bigint[])`;

export const LOCK_ACCOUNTS = `
  SELECT hash FROM accounts
  WHERE hash = ANY ($1::bytea[]) AND (slot_created = ANY ($2::bigint[]) OR spent_slot = ANY ($2::bigint[]))
  ORDER BY hash
  FOR UPDATE`;

/** The locked accounts as they are, and what will be left of them. */
const CHANGING = `
  changing AS MATERIALIZED (
    SELECT a.*,
      coalesce(slot_created <> ALL ($2::bigint[]), false) AS stays_created,
      coalesce(spent_slot <> ALL ($2::bigint[]), false) AS stays_spent
    FROM accounts a WHERE a.hash = ANY ($1::bytea[])
  )`;

/** What was live counts no more, what becomes live counts again. */
export const REVERT_BALANCES = `
  WITH ${CHANGING},
  moved AS (
    INSERT INTO token_holders AS h (mint, owner, balance)
    SELECT mint, token_owner, sum(CASE WHEN stays_created THEN amount ELSE -amount END) FROM changing
    WHERE mint IS NOT NULL AND amount > 0 AND (spent_slot IS NULL OR stays_created AND NOT stays_spent)
    GROUP BY 1, 2 ORDER BY 1, 2
    ON CONFLICT (mint, owner) DO UPDATE SET balance = h.balance + excluded.balance
    RETURNING mint, owner, balance
  )
  SELECT coalesce(array_agg(mint), '{}') AS mints, coalesce(array_agg(owner), '{}') AS owners FROM moved
  WHERE balance = 0`;

/** Why an owner's signature was listed: the account's creation or its spend. A tombstone lists nothing. */
export const LIST_REMOVED_SIGNATURES = `
  WITH ${CHANGING},
  lost AS (
    SELECT owner, token_owner, slot_created AS slot, created_signature AS signature FROM changing
    WHERE owner IS NOT NULL AND NOT stays_created
    UNION
    SELECT owner, token_owner, spent_slot, spent_signature FROM changing
    WHERE owner IS NOT NULL AND spent_slot IS NOT NULL AND NOT (stays_created AND stays_spent)
  )
  SELECT coalesce(array_agg(owner), '{}') AS owners, coalesce(array_agg(token_owner), '{}') AS "tokenOwners",
    coalesce(array_agg(slot), '{}') AS slots, coalesce(array_agg(signature), '{}') AS signatures
  FROM lost`;

/** A row is deleted, or loses one of its halves. */
export const REVERT_FACTS = `
  WITH ${CHANGING},
  forgotten AS (
    DELETE FROM accounts a USING changing c WHERE a.hash = c.hash AND NOT c.stays_created AND NOT c.stays_spent
  ),
  entombed AS (
    UPDATE accounts a SET
      slot_created = NULL, created_signature = NULL, tree = NULL, leaf_index = NULL, seq = NULL, owner = NULL,
      lamports = NULL, address = NULL, discriminator = NULL, data = NULL, data_hash = NULL, mint = NULL,
      token_owner = NULL, amount = NULL, delegate = NULL, is_frozen = NULL, tlv = NULL, ata_owner = NULL
    FROM changing c WHERE a.hash = c.hash AND NOT c.stays_created AND c.stays_spent
  )
  UPDATE accounts a SET
    spent_slot = NULL, spent_signature = NULL, tx_hash = NULL, nullifier = NULL, nullifier_queue_index = NULL
  FROM changing c WHERE a.hash = c.hash AND c.stays_created AND NOT c.stays_spent`;

/**
 * Takes back what slots said of accounts, and what followed from it. Their transactions must be there still.
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
  const [lost] = await manager.query<ListedSignatures[]>(LIST_REMOVED_SIGNATURES, changing);
  await manager.query(REVERT_FACTS, changing);
  await deleteUnreferencedSignatures(manager, lost);
}
