import { type ConsumedAccount, type CreatedAccount } from '@fresnel/domain/state';
import { type EntityManager } from 'typeorm';
import { deleteEmptyHolders, type HolderLists } from './token-holders.statement';

/*
 * A row of `accounts` is the join of the facts known so far. Each fact is written once; what follows from it is written
 * in the same statement, from the rows that it changed. What takes facts back is in `revert-accounts.statement.ts`.
 *
 *                     created arrives                    consumed arrives
 *   absent            live      +balance, signature      tombstone  spend remembered
 *   live              no change                          spent      -balance, signature
 *   tombstone         spent     both signatures          no change
 *   spent             no change                          no change
 */

/** Rows whose owner is known take part in these lists. `involved` has owner, token owner, slot and signature. */
const INSERT_SIGNATURES = `
  owners AS (
    INSERT INTO owner_signatures (owner, slot, signature, block_time)
    SELECT DISTINCT owner, slot, signature, block_time FROM involved JOIN blocks USING (slot)
    ORDER BY 1, 2, 3
    ON CONFLICT DO NOTHING
  ),
  token_owners AS (
    INSERT INTO token_owner_signatures (owner, slot, signature, block_time)
    SELECT DISTINCT token_owner, slot, signature, block_time FROM involved JOIN blocks USING (slot)
    WHERE token_owner IS NOT NULL
    ORDER BY 1, 2, 3
    ON CONFLICT DO NOTHING
  )`;

const APPLY_CREATED = `
  WITH applied AS (
    INSERT INTO accounts AS a (
      hash, slot_created, created_signature, tree, leaf_index, seq, owner, lamports, address, discriminator, data,
      data_hash, mint, token_owner, amount, delegate, is_frozen, tlv, ata_owner)
    SELECT DISTINCT ON (hash) * FROM unnest(
      $1::bytea[], $2::bigint[], $3::bytea[], $4::bytea[], $5::bigint[], $6::numeric[], $7::bytea[], $8::numeric[],
      $9::bytea[], $10::bytea[], $11::bytea[], $12::bytea[], $13::bytea[], $14::bytea[], $15::numeric[], $16::bytea[],
      $17::boolean[], $18::bytea[], $19::bytea[]) AS list (hash, slot)
    ORDER BY hash, slot
    ON CONFLICT (hash) DO UPDATE SET
      slot_created = excluded.slot_created, created_signature = excluded.created_signature, tree = excluded.tree,
      leaf_index = excluded.leaf_index, seq = excluded.seq, owner = excluded.owner, lamports = excluded.lamports,
      address = excluded.address, discriminator = excluded.discriminator, data = excluded.data,
      data_hash = excluded.data_hash, mint = excluded.mint, token_owner = excluded.token_owner, amount = excluded.amount,
      delegate = excluded.delegate, is_frozen = excluded.is_frozen, tlv = excluded.tlv, ata_owner = excluded.ata_owner
    WHERE a.slot_created IS NULL
    RETURNING owner, mint, token_owner, amount, slot_created, created_signature, spent_slot, spent_signature
  ),
  involved AS (
    SELECT owner, token_owner, slot_created AS slot, created_signature AS signature FROM applied WHERE owner IS NOT NULL
    UNION ALL
    SELECT owner, token_owner, spent_slot, spent_signature FROM applied WHERE owner IS NOT NULL AND spent_slot IS NOT NULL
  ),
  ${INSERT_SIGNATURES},
  raised AS (
    INSERT INTO token_holders AS h (mint, owner, balance)
    SELECT mint, token_owner, sum(amount) FROM applied
    WHERE mint IS NOT NULL AND amount > 0 AND spent_slot IS NULL
    GROUP BY 1, 2 ORDER BY 1, 2
    ON CONFLICT (mint, owner) DO UPDATE SET balance = h.balance + excluded.balance
  )
  SELECT count(*)::integer AS written FROM applied`;

/** Facts that were not written, because they are there, are repeats unless another slot has told them. */
export const CREATED_IN_OTHER_SLOTS = `
  SELECT DISTINCT list.slot FROM unnest($1::bytea[], $2::bigint[]) AS list (hash, slot)
  JOIN accounts a ON a.hash = list.hash
  WHERE a.slot_created <> list.slot`;

/** An account as created in a slot. */
export type CreatedInSlot = CreatedAccount & { slot: number };

/**
 * Applies *account H was created at slot S by T* for many accounts. The blocks of the slots must be there.
 *
 * @returns slots with an account that another slot has created
 */
export async function applyCreated(manager: EntityManager, created: readonly CreatedInSlot[]): Promise<number[]> {
  if (created.length === 0) return [];
  const [{ written }] = await manager.query<{ written: number }[]>(APPLY_CREATED, [
    created.map(({ hash }) => hash),
    created.map(({ slot }) => slot),
    created.map(({ signature }) => signature),
    created.map(({ tree }) => tree),
    created.map(({ leafIndex }) => leafIndex),
    created.map(({ seq }) => seq),
    created.map(({ body }) => body?.owner ?? null),
    created.map(({ body }) => body?.lamports ?? null),
    created.map(({ body }) => body?.address ?? null),
    created.map(({ body }) => body?.data?.discriminator ?? null),
    created.map(({ body }) => body?.data?.bytes ?? null),
    created.map(({ body }) => body?.data?.dataHash ?? null),
    created.map(({ token }) => token?.mint ?? null),
    created.map(({ token }) => token?.owner ?? null),
    created.map(({ token }) => token?.amount ?? null),
    created.map(({ token }) => token?.delegate ?? null),
    created.map(({ token }) => token && token.state === 'frozen'),
    created.map(({ token }) => token?.tlv ?? null),
    created.map(({ ataOwner }) => ataOwner),
  ]);
  return written === created.length ? [] : findSlots(manager, CREATED_IN_OTHER_SLOTS, created);
}

const APPLY_CONSUMED = `
  WITH applied AS (
    INSERT INTO accounts AS a (hash, spent_slot, spent_signature, tx_hash, nullifier, nullifier_queue_index)
    SELECT DISTINCT ON (hash) * FROM unnest(
      $1::bytea[], $2::bigint[], $3::bytea[], $4::bytea[], $5::bytea[], $6::numeric[]) AS list (hash, slot)
    ORDER BY hash, slot
    ON CONFLICT (hash) DO UPDATE SET
      spent_slot = excluded.spent_slot, spent_signature = excluded.spent_signature, tx_hash = excluded.tx_hash,
      nullifier = excluded.nullifier, nullifier_queue_index = excluded.nullifier_queue_index
    WHERE a.spent_slot IS NULL
    RETURNING owner, mint, token_owner, amount, spent_slot, spent_signature
  ),
  involved AS (
    SELECT owner, token_owner, spent_slot AS slot, spent_signature AS signature FROM applied WHERE owner IS NOT NULL
  ),
  ${INSERT_SIGNATURES},
  reduced AS (
    INSERT INTO token_holders AS h (mint, owner, balance)
    SELECT mint, token_owner, -sum(amount) FROM applied
    WHERE mint IS NOT NULL AND amount > 0
    GROUP BY 1, 2 ORDER BY 1, 2
    ON CONFLICT (mint, owner) DO UPDATE SET balance = h.balance + excluded.balance
    RETURNING mint, owner, balance
  )
  SELECT (SELECT count(*)::integer FROM applied) AS written,
    coalesce(array_agg(mint), '{}') AS mints, coalesce(array_agg(owner), '{}') AS owners
  FROM reduced WHERE balance = 0`;

export const CONSUMED_IN_OTHER_SLOTS = `
  SELECT DISTINCT list.slot FROM unnest($1::bytea[], $2::bigint[]) AS list (hash, slot)
  JOIN accounts a ON a.hash = list.hash
  WHERE a.spent_slot <> list.slot`;

/** An account as consumed in a slot. */
export type ConsumedInSlot = ConsumedAccount & { slot: number };

/**
 * Applies *account H was consumed at slot S by T* for many accounts. The blocks of the slots must be there.
 *
 * @returns slots with an account that another slot has consumed
 */
export async function applyConsumed(manager: EntityManager, consumed: readonly ConsumedInSlot[]): Promise<number[]> {
  if (consumed.length === 0) return [];
  const [{ written, ...empty }] = await manager.query<(HolderLists & { written: number })[]>(APPLY_CONSUMED, [
    consumed.map(({ hash }) => hash),
    consumed.map(({ slot }) => slot),
    consumed.map(({ signature }) => signature),
    consumed.map(({ nullification }) => nullification?.txHash ?? null),
    consumed.map(({ nullification }) => nullification?.nullifier ?? null),
    consumed.map(({ nullification }) => nullification?.queueIndex ?? null),
  ]);
  await deleteEmptyHolders(manager, empty);
  return written === consumed.length ? [] : findSlots(manager, CONSUMED_IN_OTHER_SLOTS, consumed);
}

async function findSlots(
  manager: EntityManager,
  sql: string,
  accounts: readonly { hash: Buffer; slot: number }[],
): Promise<number[]> {
  const rows = await manager.query<{ slot: string }[]>(sql, [
    accounts.map(({ hash }) => hash),
    accounts.map(({ slot }) => slot),
  ]);
  return rows.map(({ slot }) => Number(slot));
}
