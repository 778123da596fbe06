import { splitHashes } from '@fresnel/adapters/store-schema';
import { type Hash, type Signature, toSignature } from '@fresnel/domain/primitives';
import { NEXT_SLOT_ID } from './indexed-slot';
import { type Reader, type Statement } from './reader';

/** A transaction that involves compression. */
export interface SampledTransaction {
  /** Ids sort like slots, then signatures. */
  id: bigint;
  signature: Signature;
  /** Hashes of the accounts that it created. */
  created: Hash[];
}

export const TRANSACTIONS_FROM: Statement = {
  name: 'transactions-from',
  text: `
    SELECT t.id, t.signature, t.created FROM transactions t
    WHERE t.id >= $1 AND t.id < (SELECT ${NEXT_SLOT_ID} FROM indexer_state s) ORDER BY t.id LIMIT $2`,
};

export const LAST_TRANSACTION: Statement = {
  name: 'last-transaction',
  text: `
    SELECT t.id FROM transactions t
    WHERE t.id < (SELECT ${NEXT_SLOT_ID} FROM indexer_state s) ORDER BY t.id DESC LIMIT 1`,
};

interface Row {
  id: string;
  signature: Buffer;
  created: Buffer;
}

/** Finds the indexed transactions from an id on, in the order of ids. */
export async function findTransactionsFrom(reader: Reader, id: bigint, limit: number): Promise<SampledTransaction[]> {
  const rows = await reader.query<Row>(TRANSACTIONS_FROM, [id, limit]);
  return rows.map((row) => ({
    id: BigInt(row.id),
    signature: toSignature(row.signature),
    created: splitHashes(row.created),
  }));
}

/** The id of the newest indexed transaction; null if there is none. */
export async function findLastTransactionId(reader: Reader): Promise<bigint | null> {
  const row = (await reader.query<{ id: string }>(LAST_TRANSACTION, [])).at(0);
  return row ? BigInt(row.id) : null;
}
