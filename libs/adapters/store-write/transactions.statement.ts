import { joinHashes, splitHashes, type TransactionJson } from '@fresnel/adapters/store-schema';
import { type Hash, type Signature } from '@fresnel/domain/primitives';
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
