import { type Hash } from '@fresnel/domain/primitives';
import { type ParkedTransaction, type TransactionAccounts } from '@fresnel/domain/state';
import { type EntityManager } from 'typeorm';

const INSERT_TRANSACTIONS = `
  INSERT INTO transactions (signature, slot, block_index, json, consumed, created)
  SELECT DISTINCT ON (signature) signature, slot, block_index, json, consumed::bytea[], created::bytea[]
  FROM unnest($1::bytea[], $2::bigint[], $3::integer[], $4::text[], $5::text[], $6::text[])
    AS list (signature, slot, block_index, json, consumed, created)
  ORDER BY signature
  ON CONFLICT (signature) DO NOTHING`;

export type TransactionInSlot = TransactionAccounts & { slot: number };

/** Stores transactions that involve compression with the hashes of their accounts. */
export async function insertTransactions(
  manager: EntityManager,
  transactions: readonly TransactionInSlot[],
): Promise<void> {
  if (transactions.length === 0) return;
  await manager.query(INSERT_TRANSACTIONS, [
    transactions.map(({ transaction }) => transaction.signature),
    transactions.map(({ slot }) => slot),
    transactions.map(({ transaction }) => transaction.index),
    transactions.map(({ transaction }) => transaction.json),
    transactions.map(({ consumed }) => toArrayLiteral(consumed)),
    transactions.map(({ created }) => toArrayLiteral(created)),
  ]);
}

/** Lists of different lengths do not fit into one array of arrays. */
function toArrayLiteral(hashes: readonly Hash[]): string {
  return `{${hashes.map((hash) => `"\\\\x${hash.toString('hex')}"`).join(',')}}`;
}

const INSERT_PARKED = `
  INSERT INTO parked_transactions (slot, block_index, signature, reasons, json)
  SELECT slot, block_index, signature, reasons::text[], json
  FROM unnest($1::bigint[], $2::integer[], $3::bytea[], $4::text[], $5::text[])
    AS list (slot, block_index, signature, reasons, json)
  ORDER BY slot, block_index
  ON CONFLICT (slot, block_index) DO NOTHING`;

export type ParkedInSlot = ParkedTransaction & { slot: number };

/** Keeps what could not be read, with the reasons. */
export async function parkTransactions(manager: EntityManager, parked: readonly ParkedInSlot[]): Promise<void> {
  if (parked.length === 0) return;
  await manager.query(INSERT_PARKED, [
    parked.map(({ slot }) => slot),
    parked.map(({ index }) => index),
    parked.map(({ signature }) => signature),
    parked.map(({ reasons }) => toTextArrayLiteral(reasons)),
    parked.map(({ json }) => json),
  ]);
}

function toTextArrayLiteral(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}
