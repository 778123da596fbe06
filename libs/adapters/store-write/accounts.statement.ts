import {
  columnNames,
  CONSUMED_COLUMNS,
  type ConsumedColumn,
  CREATED_COLUMNS,
  type CreatedColumn,
} from '@fresnel/adapters/store-schema';
import { type ConsumedAccount, type CreatedAccount } from '@fresnel/domain/state';
import { type EntityManager } from 'typeorm';
import { deleteEmptyHolders, type HolderLists } from './token-holders.statement';

/*
 * A row of `accounts` joins the stored facts about an account. Each fact is written once. The same statement updates the
 * derived tables from the rows that it changed. `revert-accounts.statement.ts` reverts facts.
 *                     created arrives                    consumed arrives
 *   absent            live      +balance, signature      tombstone  spend remembered
 *   live              no change                          spent      -balance, signature
 *   tombstone         spent     both signatures          no change
 *   spent             no change                          no change
 */

/** Inserts signatures for rows with an owner. `involved` has owner, token owner, slot and signature. */
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

/** `SELECT DISTINCT ON (hash)` over parameters: $1 are the hashes, the others are in the order of the columns. */
function unnestOf(columns: Readonly<Record<string, string>>): string {
  const types = ['bytea', ...Object.values(columns)];
  return `SELECT DISTINCT ON (hash) * FROM unnest(${types.map((type, at) => `$${at + 1}::${type}[]`).join(', ')})
      AS list (hash, slot)
    ORDER BY hash, slot`;
}

function insertOf(columns: Readonly<Record<string, string>>): string {
  return `INSERT INTO accounts AS a (${['hash', ...columnNames(columns)].join(', ')})
    ${unnestOf(columns)}
    ON CONFLICT (hash) DO UPDATE SET ${columnNames(columns)
      .map((column) => `${column} = excluded.${column}`)
      .join(', ')}`;
}

const APPLY_CREATED = `
  WITH applied AS (
    ${insertOf(CREATED_COLUMNS)}
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

/** A fact that was not written was already stored: by the same slot if it is a duplicate, else by another slot. */
export const CREATED_IN_OTHER_SLOTS = `
  SELECT DISTINCT list.slot FROM unnest($1::bytea[], $2::bigint[]) AS list (hash, slot)
  JOIN accounts a ON a.hash = list.hash
  WHERE a.slot_created <> list.slot`;

/** An account that was created in a slot. */
export type CreatedInSlot = CreatedAccount & { slot: number };

const CREATED_VALUES: Record<CreatedColumn, (account: CreatedInSlot) => unknown> = {
  slot_created: ({ slot }) => slot,
  created_signature: ({ signature }) => signature,
  tree: ({ tree }) => tree,
  leaf_index: ({ leafIndex }) => leafIndex,
  seq: ({ seq }) => seq,
  owner: ({ body }) => body?.owner ?? null,
  lamports: ({ body }) => body?.lamports ?? null,
  address: ({ body }) => body?.address ?? null,
  discriminator: ({ body }) => body?.data?.discriminator ?? null,
  data: ({ body }) => body?.data?.bytes ?? null,
  data_hash: ({ body }) => body?.data?.dataHash ?? null,
  mint: ({ token }) => token?.mint ?? null,
  token_owner: ({ token }) => token?.owner ?? null,
  amount: ({ token }) => token?.amount ?? null,
  delegate: ({ token }) => token?.delegate ?? null,
  is_frozen: ({ token }) => token && token.state === 'frozen',
  tlv: ({ token }) => token?.tlv ?? null,
  ata_owner: ({ ataOwner }) => ataOwner,
};

/**
 * Applies *account H was created at slot S by T* for many accounts. The blocks of the slots must be stored.
 *
 * @returns slots with an account that, by stored facts, another slot created
 */
export async function applyCreated(manager: EntityManager, created: readonly CreatedInSlot[]): Promise<number[]> {
  if (created.length === 0) return [];
  const [{ written }] = await manager.query<{ written: number }[]>(APPLY_CREATED, [
    created.map(({ hash }) => hash),
    ...columnNames(CREATED_COLUMNS).map((column) => created.map(CREATED_VALUES[column])),
  ]);
  return written === created.length ? [] : findSlots(manager, CREATED_IN_OTHER_SLOTS, created);
}

const APPLY_CONSUMED = `
  WITH applied AS (
    ${insertOf(CONSUMED_COLUMNS)}
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

/** An account that was consumed in a slot. */
export type ConsumedInSlot = ConsumedAccount & { slot: number };

const CONSUMED_VALUES: Record<ConsumedColumn, (account: ConsumedInSlot) => unknown> = {
  spent_slot: ({ slot }) => slot,
  spent_signature: ({ signature }) => signature,
  tx_hash: ({ nullification }) => nullification?.txHash ?? null,
  nullifier: ({ nullification }) => nullification?.nullifier ?? null,
  nullifier_queue_index: ({ nullification }) => nullification?.queueIndex ?? null,
};

/**
 * Applies *account H was consumed at slot S by T* for many accounts. The blocks of the slots must be stored.
 *
 * @returns slots with an account that, by stored facts, another slot consumed
 */
export async function applyConsumed(manager: EntityManager, consumed: readonly ConsumedInSlot[]): Promise<number[]> {
  if (consumed.length === 0) return [];
  const [{ written, ...empty }] = await manager.query<(HolderLists & { written: number })[]>(APPLY_CONSUMED, [
    consumed.map(({ hash }) => hash),
    ...columnNames(CONSUMED_COLUMNS).map((column) => consumed.map(CONSUMED_VALUES[column])),
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
