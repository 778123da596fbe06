import { type Hash } from '@fresnel/domain/primitives';
import { type DeadLetter, type TransactionAccounts } from '@fresnel/domain/state';
import { type EntityManager } from 'typeorm';

const INSERT_TRANSACTIONS = `
  WITH inserted AS (
    INSERT INTO transactions (signature, slot, block_index, json, consumed, created)
    SELECT DISTINCT ON (signature) signature, slot, block_index, json, consumed::bytea[], created::bytea[]
    FROM unnest($1::bytea[], $2::bigint[], $3::integer[], $4::text[], $5::text[], $6::text[])
      AS list (signature, slot, block_index, json, consumed, created)
    ORDER BY signature, slot
    ON CONFLICT (signature) DO NOTHING
    RETURNING 1
  )
  SELECT count(*)::integer AS written FROM inserted`;

/** A transaction lands in one slot. It is in two slots only until one of them is reverted. */
export const TRANSACTIONS_OF_OTHER_SLOTS = `
  SELECT DISTINCT list.slot FROM unnest($1::bytea[], $2::bigint[]) AS list (signature, slot)
  JOIN transactions t ON t.signature = list.signature
  WHERE t.slot <> list.slot`;

export type TransactionInSlot = TransactionAccounts & { slot: number };

/**
 * Stores transactions that involve compression with the hashes of their accounts.
 *
 * @returns slots with a transaction that is stored for another slot
 */
export async function insertTransactions(
  manager: EntityManager,
  transactions: readonly TransactionInSlot[],
): Promise<number[]> {
  if (transactions.length === 0) return [];
  const signatures = transactions.map(({ transaction }) => transaction.signature);
  const slots = transactions.map(({ slot }) => slot);
  const [{ written }] = await manager.query<{ written: number }[]>(INSERT_TRANSACTIONS, [
    signatures,
    slots,
    transactions.map(({ transaction }) => transaction.index),
    transactions.map(({ transaction }) => transaction.json),
    transactions.map(({ consumed }) => toArrayLiteral(consumed)),
    transactions.map(({ created }) => toArrayLiteral(created)),
  ]);
  if (written === transactions.length) return [];
  const elsewhere = await manager.query<{ slot: string }[]>(TRANSACTIONS_OF_OTHER_SLOTS, [signatures, slots]);
  return elsewhere.map(({ slot }) => Number(slot));
}

/** As text, since a Postgres array of arrays needs lists of equal length. */
function toArrayLiteral(hashes: readonly Hash[]): string {
  return `{${hashes.map((hash) => `"\\\\x${hash.toString('hex')}"`).join(',')}}`;
}

const INSERT_DEAD_LETTERS = `
  INSERT INTO dead_letters (slot, block_index, signature, reasons, json)
  SELECT slot, block_index, signature, reasons::text[], json
  FROM unnest($1::bigint[], $2::integer[], $3::bytea[], $4::text[], $5::text[])
    AS list (slot, block_index, signature, reasons, json)
  ORDER BY slot, block_index
  ON CONFLICT (slot, block_index) DO NOTHING`;

export type DeadLetterInSlot = DeadLetter & { slot: number };

/** Stores transactions that could not be parsed, with the reasons. */
export async function insertDeadLetters(
  manager: EntityManager,
  deadLetters: readonly DeadLetterInSlot[],
): Promise<void> {
  if (deadLetters.length === 0) return;
  await manager.query(INSERT_DEAD_LETTERS, [
    deadLetters.map(({ slot }) => slot),
    deadLetters.map(({ index }) => index),
    deadLetters.map(({ signature }) => signature),
    deadLetters.map(({ reasons }) => toTextArrayLiteral(reasons)),
    deadLetters.map(({ json }) => json),
  ]);
}

function toTextArrayLiteral(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}

export const DELETE_TRANSACTIONS = `DELETE FROM transactions WHERE slot = ANY ($1::bigint[])`;
export const DELETE_DEAD_LETTERS = `DELETE FROM dead_letters WHERE slot = ANY ($1::bigint[])`;

/** Deletes the transactions and the dead letters of slots. */
export async function deleteTransactions(manager: EntityManager, slots: readonly number[]): Promise<void> {
  await manager.query(DELETE_TRANSACTIONS, [slots]);
  await manager.query(DELETE_DEAD_LETTERS, [slots]);
}
