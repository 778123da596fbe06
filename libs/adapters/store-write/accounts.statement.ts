import {
  columnNames,
  CONSUMED_COLUMNS,
  type ConsumedColumn,
  CREATED_COLUMNS,
  type CreatedColumn,
} from '@fresnel/adapters/store-schema';
import { keyOf } from '@fresnel/domain/primitives';
import { type ConsumedAccount, type CreatedAccount } from '@fresnel/domain/state';
import { type EntityManager } from 'typeorm';

/*
 * A row of `accounts` joins the stored facts about an account. Each fact is written once. The same statement writes what
 * follows from the new facts: signatures by owner, and changes of balances. `revert-accounts.statement.ts` reverts facts.
 *                     created arrives                    consumed arrives
 *   absent            live      +change, signature       tombstone  spend remembered
 *   live              no change                          spent      -change, signature
 *   tombstone         spent     both of both             no change
 *   spent             no change                          no change
 */

const COLUMN_TYPES = { hash: 'bytea', ...CREATED_COLUMNS, ...CONSUMED_COLUMNS };
const PARAMETERS = Object.values(COLUMN_TYPES).map((type, at) => `$${at + 1}::${type}[]`);
/** The slots of the batch: a fact of another slot was written before. */
const SLOTS = `$${PARAMETERS.length + 1}::bigint[]`;

/** Sets the columns of a fact if it is new. @param slotColumn is null while the fact is unknown */
function setIfUnknown(columns: Readonly<Record<string, string>>, slotColumn: string): string[] {
  return columnNames(columns).map(
    (column) => `${column} = CASE WHEN a.${slotColumn} IS NULL THEN excluded.${column} ELSE a.${column} END`,
  );
}

/** Writes what follows from `facts`: slot, signature, is_spend, hash, owner, mint, token_owner, amount. */
const DERIVE = `
  owners AS (
    INSERT INTO owner_signatures (owner, slot, signature, block_time)
    SELECT DISTINCT owner, slot, signature, block_time FROM facts JOIN blocks USING (slot)
    WHERE owner IS NOT NULL
    ORDER BY 1, 2, 3
    ON CONFLICT DO NOTHING
  ),
  token_owners AS (
    INSERT INTO token_owner_signatures (owner, slot, signature, block_time)
    SELECT DISTINCT token_owner, slot, signature, block_time FROM facts JOIN blocks USING (slot)
    WHERE token_owner IS NOT NULL
    ORDER BY 1, 2, 3
    ON CONFLICT DO NOTHING
  ),
  changes AS (
    INSERT INTO holder_changes (slot, hash, is_spend, mint, owner, amount)
    SELECT slot, hash, is_spend, mint, token_owner, amount FROM facts
    WHERE mint IS NOT NULL AND amount <> 0
    ORDER BY 1, 2, 3
    ON CONFLICT DO NOTHING
  )`;

/** All writers insert in the order of the hashes, so that they do not wait for each other in a circle. */
const APPLY_FACTS = `
  WITH applied AS (
    INSERT INTO accounts AS a (${Object.keys(COLUMN_TYPES).join(', ')})
    SELECT * FROM unnest(${PARAMETERS.join(', ')})
    ON CONFLICT (hash) DO UPDATE SET
      ${[...setIfUnknown(CREATED_COLUMNS, 'slot_created'), ...setIfUnknown(CONSUMED_COLUMNS, 'spent_slot')].join(', ')}
    WHERE (a.slot_created IS NULL AND excluded.slot_created IS NOT NULL)
      OR (a.spent_slot IS NULL AND excluded.spent_slot IS NOT NULL)
    RETURNING hash, owner, mint, token_owner, amount, slot_created, created_signature, spent_slot, spent_signature
  ),
  facts AS (
    SELECT slot_created AS slot, created_signature AS signature, false AS is_spend, hash, owner, mint, token_owner, amount
    FROM applied WHERE slot_created = ANY (${SLOTS})
    UNION ALL
    SELECT spent_slot, spent_signature, true, hash, owner, mint, token_owner, -amount
    FROM applied WHERE spent_slot = ANY (${SLOTS})
  ),
  ${DERIVE}
  SELECT hash, slot_created, spent_slot FROM applied`;

/**
 * The spends of accounts whose creation arrived later. A statement of its own: while the one before waited for the writer of
 * the spend, that writer's block was not visible to it.
 */
export const APPLY_EARLIER_SPENDS = `
  WITH facts AS (
    SELECT spent_slot AS slot, spent_signature AS signature, true AS is_spend, hash, owner, mint, token_owner,
      -amount AS amount
    FROM accounts WHERE hash = ANY ($1::bytea[])
  ),
  ${DERIVE}
  SELECT`;

/** A fact that was not written was already stored: by the same slot if it is a duplicate, else by another slot. */
export const CREATED_IN_OTHER_SLOTS = `
  SELECT DISTINCT list.slot FROM unnest($1::bytea[], $2::bigint[]) AS list (hash, slot)
  JOIN accounts a ON a.hash = list.hash
  WHERE a.slot_created <> list.slot`;

export const CONSUMED_IN_OTHER_SLOTS = `
  SELECT DISTINCT list.slot FROM unnest($1::bytea[], $2::bigint[]) AS list (hash, slot)
  JOIN accounts a ON a.hash = list.hash
  WHERE a.spent_slot <> list.slot`;

/** An account that was created in a slot. */
export type CreatedInSlot = CreatedAccount & { slot: number };
/** An account that was consumed in a slot. */
export type ConsumedInSlot = ConsumedAccount & { slot: number };

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

const CONSUMED_VALUES: Record<ConsumedColumn, (account: ConsumedInSlot) => unknown> = {
  spent_slot: ({ slot }) => slot,
  spent_signature: ({ signature }) => signature,
  tx_hash: ({ nullification }) => nullification?.txHash ?? null,
  nullifier: ({ nullification }) => nullification?.nullifier ?? null,
  nullifier_queue_index: ({ nullification }) => nullification?.queueIndex ?? null,
};

/** The facts of a batch about one account. If several slots state the same fact, it is the one of the first slot. */
interface AccountChange {
  hash: Buffer;
  created: CreatedInSlot | null;
  consumed: ConsumedInSlot | null;
}

interface AppliedRow {
  hash: Buffer;
  slot_created: string | null;
  spent_slot: string | null;
}

/**
 * Applies *account H was created at slot S by T* and *account H was consumed at slot S by T* for many accounts. The blocks
 * of the slots must be stored.
 *
 * @returns slots with a fact that contradicts a stored one: another slot created or consumed the account
 */
export async function applyAccountFacts(
  manager: EntityManager,
  created: readonly CreatedInSlot[],
  consumed: readonly ConsumedInSlot[],
): Promise<number[]> {
  if (created.length === 0 && consumed.length === 0) return [];
  const changes = mergeByHash(created, consumed);
  const rows = await manager.query<AppliedRow[]>(APPLY_FACTS, [
    changes.map(({ hash }) => hash),
    ...columnNames(CREATED_COLUMNS).map((column) =>
      changes.map((change) => change.created && CREATED_VALUES[column](change.created)),
    ),
    ...columnNames(CONSUMED_COLUMNS).map((column) =>
      changes.map((change) => change.consumed && CONSUMED_VALUES[column](change.consumed)),
    ),
    [...new Set([...created, ...consumed].map(({ slot }) => slot))],
  ]);
  const slots = new Set([...created, ...consumed].map(({ slot }) => String(slot)));
  const spentEarlier = rows.filter(({ spent_slot: slot }) => slot !== null && !slots.has(slot));
  if (spentEarlier.length > 0) await manager.query(APPLY_EARLIER_SPENDS, [spentEarlier.map(({ hash }) => hash)]);
  const applied = new Map(rows.map((row) => [keyOf(row.hash), row]));
  const isStated = (slot: number, stored: string | null | undefined) => stored === String(slot);
  const otherCreated = created.filter(({ hash, slot }) => !isStated(slot, applied.get(keyOf(hash))?.slot_created));
  const otherConsumed = consumed.filter(({ hash, slot }) => !isStated(slot, applied.get(keyOf(hash))?.spent_slot));
  return [
    ...(await findSlots(manager, CREATED_IN_OTHER_SLOTS, otherCreated)),
    ...(await findSlots(manager, CONSUMED_IN_OTHER_SLOTS, otherConsumed)),
  ];
}

/** @returns ascending by hash */
function mergeByHash(created: readonly CreatedInSlot[], consumed: readonly ConsumedInSlot[]): AccountChange[] {
  const changes = new Map<string, AccountChange>();
  const changeOf = (hash: Buffer) => {
    const key = keyOf(hash);
    let change = changes.get(key);
    if (!change) changes.set(key, (change = { hash, created: null, consumed: null }));
    return change;
  };
  for (const account of created) {
    const change = changeOf(account.hash);
    if (!change.created || account.slot < change.created.slot) change.created = account;
  }
  for (const account of consumed) {
    const change = changeOf(account.hash);
    if (!change.consumed || account.slot < change.consumed.slot) change.consumed = account;
  }
  return [...changes.values()].sort((one, other) => one.hash.compare(other.hash));
}

async function findSlots(
  manager: EntityManager,
  sql: string,
  accounts: readonly { hash: Buffer; slot: number }[],
): Promise<number[]> {
  if (accounts.length === 0) return [];
  const rows = await manager.query<{ slot: string }[]>(sql, [
    accounts.map(({ hash }) => hash),
    accounts.map(({ slot }) => slot),
  ]);
  return rows.map(({ slot }) => Number(slot));
}
