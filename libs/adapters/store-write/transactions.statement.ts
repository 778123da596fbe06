import { joinHashes, splitHashes, type TransactionJson } from '@fresnel/adapters/store-schema';
import { type Hash, type Signature } from '@fresnel/domain/primitives';
import { type DeadLetter } from '@fresnel/domain/state';
import { type EntityManager } from 'typeorm';
import { type FactsOfSlot, slotOf } from './facts-of-slot';

const INSERT_TRANSACTIONS = `
  WITH inserted AS (
    INSERT INTO transactions (id, block_time, block_index, signature, consumed, created, json)
    SELECT id, block_time, block_index, signature, consumed, created, json
    FROM unnest($1::bigint[], $2::bigint[], $3::integer[], $4::bytea[], $5::bytea[], $6::bytea[], $7::bytea[])
      AS list (id, block_time, block_index, signature, consumed, created, json)
    ORDER BY id
    ON CONFLICT DO NOTHING
    RETURNING 1
  )
  SELECT count(*)::integer AS written FROM inserted`;

/** A transaction lands in one slot. It is in two slots only until one of them is reverted. */
export const TRANSACTIONS_OF_OTHER_SLOTS = `
  SELECT list.id FROM unnest($1::bigint[], $2::bytea[]) AS list (id, signature)
  JOIN transactions t ON t.signature = list.signature
  WHERE t.id <> list.id`;

/**
 * Stores transactions that involve compression with the hashes of their accounts.
 *
 * @param json of the transactions of all slots, encoded
 * @returns slots with a transaction that is stored for another slot
 */
export async function insertTransactions(
  manager: EntityManager,
  facts: readonly FactsOfSlot[],
  json: readonly Buffer[],
): Promise<number[]> {
  const transactions = facts.flatMap(({ transactions, blockTime }) =>
    transactions.map((transaction) => ({ ...transaction, blockTime })),
  );
  if (transactions.length === 0) return [];
  const ids = transactions.map(({ transactionId }) => transactionId);
  const signatures = transactions.map(({ transaction }) => transaction.signature);
  const [{ written }] = await manager.query<{ written: number }[]>(INSERT_TRANSACTIONS, [
    ids,
    transactions.map(({ blockTime }) => blockTime),
    transactions.map(({ transaction }) => transaction.index),
    signatures,
    transactions.map(({ consumed }) => joinHashes(consumed)),
    transactions.map(({ created }) => joinHashes(created)),
    json,
  ]);
  if (written === transactions.length) return [];
  const elsewhere = await manager.query<{ id: string }[]>(TRANSACTIONS_OF_OTHER_SLOTS, [ids, signatures]);
  return elsewhere.map(({ id }) => slotOf(BigInt(id)));
}

/** The JSON of the transactions of slots, as it is to be encoded. */
export function transactionJsonOf(facts: readonly FactsOfSlot[]): TransactionJson[] {
  return facts.flatMap(({ transactions }) =>
    transactions.map(({ transaction, consumed, created }) => ({
      json: transaction.json,
      known: [transaction.signature, joinHashes(consumed), joinHashes(created)],
    })),
  );
}

/** A stored transaction and its accounts. */
export interface StoredTransaction {
  id: bigint;
  signature: Signature;
  consumed: Hash[];
  created: Hash[];
}

export const TRANSACTIONS_OF_SLOTS = `
  SELECT t.id, t.signature, t.consumed, t.created FROM unnest($1::bigint[]) AS list (slot)
  JOIN transactions t ON t.id >= list.slot << 16 AND t.id < (list.slot + 1) << 16`;

/** Finds the transactions of slots. */
export async function findTransactions(manager: EntityManager, slots: readonly number[]): Promise<StoredTransaction[]> {
  interface Row {
    id: string;
    signature: Signature;
    consumed: Buffer;
    created: Buffer;
  }
  const rows = await manager.query<Row[]>(TRANSACTIONS_OF_SLOTS, [slots]);
  return rows.map(({ id, signature, consumed, created }) => ({
    id: BigInt(id),
    signature,
    consumed: splitHashes(consumed),
    created: splitHashes(created),
  }));
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

/** The transactions of the slots that are parsed completely by now. */
const DELETE_OTHER_DEAD_LETTERS = `
  DELETE FROM dead_letters d
  WHERE d.slot = ANY ($1::bigint[])
    AND NOT EXISTS (
      SELECT FROM unnest($2::bigint[], $3::integer[]) AS list (slot, block_index)
      WHERE list.slot = d.slot AND list.block_index = d.block_index)`;

/** A transaction may be parsed further than before, and still not completely. */
const UPDATE_DEAD_LETTERS = `
  UPDATE dead_letters d SET reasons = list.reasons::text[]
  FROM unnest($1::bigint[], $2::integer[], $3::text[]) AS list (slot, block_index, reasons)
  WHERE d.slot = list.slot AND d.block_index = list.block_index AND d.reasons <> list.reasons::text[]`;

/**
 * Deletes the dead letters of stored slots, except the listed ones, whose reasons it updates. It stores no other dead letter:
 * the transaction was parsed completely before.
 */
export async function updateDeadLetters(
  manager: EntityManager,
  slots: readonly number[],
  remaining: readonly DeadLetterInSlot[],
): Promise<void> {
  if (slots.length === 0) return;
  const places = [remaining.map(({ slot }) => slot), remaining.map(({ index }) => index)];
  await manager.query(DELETE_OTHER_DEAD_LETTERS, [slots, ...places]);
  if (remaining.length === 0) return;
  await manager.query(UPDATE_DEAD_LETTERS, [...places, remaining.map(({ reasons }) => toTextArrayLiteral(reasons))]);
}

function toTextArrayLiteral(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}

const LISTED = `unnest($1::bytea[], $2::bigint[]) AS list (hash, id)`;
export const DELETE_ACCOUNTS = `
  DELETE FROM accounts a USING ${LISTED} WHERE a.hash = list.hash AND a.created_by = list.id`;
export const DELETE_SPENDS = `
  DELETE FROM spends s USING ${LISTED} WHERE s.hash = list.hash AND s.spent_by = list.id`;
export const DELETE_TRANSACTIONS = `DELETE FROM transactions WHERE id = ANY ($1::bigint[])`;
export const DELETE_DEAD_LETTERS = `DELETE FROM dead_letters WHERE slot = ANY ($1::bigint[])`;

/** Deletes the transactions of slots with their accounts and spends, and the dead letters of the slots. */
export async function deleteTransactions(manager: EntityManager, slots: readonly number[]): Promise<void> {
  const transactions = await findTransactions(manager, slots);
  const list = (role: 'created' | 'consumed') => [
    transactions.flatMap((transaction) => transaction[role]),
    transactions.flatMap(({ id, ...transaction }) => transaction[role].map(() => id)),
  ];
  await manager.query(DELETE_ACCOUNTS, list('created'));
  await manager.query(DELETE_SPENDS, list('consumed'));
  await manager.query(DELETE_TRANSACTIONS, [transactions.map(({ id }) => id)]);
  await manager.query(DELETE_DEAD_LETTERS, [slots]);
}
