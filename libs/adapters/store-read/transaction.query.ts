import { type Signature } from '@fresnel/domain/primitives';
import { decodeTransactionJson } from '@fresnel/domain/chain/transaction-json';
import { type AccountRecord, RECORD_AS_CREATED, recordJoinsAsCreated, toAccountRecord } from './account-record';
import { NEXT_SLOT_ID } from './indexed-slot';
import { PackedRow } from './packed-rows';
import { type Reader, type Statement } from './reader';

/** A transaction that involves compression, with its accounts in event order. */
export interface TransactionRecord {
  /** The `getTransaction` result, unchanged. */
  json: string;
  consumed: AccountRecord[];
  /** In the trees in which it created them, also if their leaves have migrated since. */
  created: AccountRecord[];
}

/** Returns one row for an indexed transaction (role null), and one row for each of its accounts whose body is stored. */
export const TRANSACTION: Statement = {
  name: 'transaction',
  text: `
    WITH s AS MATERIALIZED (SELECT indexed_slot FROM indexer_state),
    found AS MATERIALIZED (
      SELECT json, consumed, created FROM transactions, s WHERE signature = $1 AND id < ${NEXT_SLOT_ID})
    SELECT found.json, found.consumed AS consumed_hashes, found.created AS created_hashes,
      NULL AS role, 0 AS place, NULL::bytea AS record
    FROM found
    UNION ALL
    SELECT NULL, NULL, NULL, part.role, part.place, ${RECORD_AS_CREATED}
    FROM found CROSS JOIN s
    CROSS JOIN LATERAL (
      SELECT 'consumed' AS role, hash, place FROM list_hashes(found.consumed)
      UNION ALL
      SELECT 'created', hash, place FROM list_hashes(found.created)
    ) part
    JOIN accounts a ON a.hash = part.hash AND a.owner IS NOT NULL
    ${recordJoinsAsCreated(`part.role = 'created'`)}
    ORDER BY role NULLS FIRST, place`,
};

interface TransactionOnly {
  role: null;
  json: Buffer;
  consumed_hashes: Buffer;
  created_hashes: Buffer;
}
interface AccountOfTransaction {
  role: 'consumed' | 'created';
  record: Buffer;
}

/** Returns null for a transaction that is not indexed or does not involve compression. */
export async function findTransaction(reader: Reader, signature: Signature): Promise<TransactionRecord | null> {
  const rows = await reader.query<TransactionOnly | AccountOfTransaction>(TRANSACTION, [signature]);
  const transaction = rows.find((row) => row.role === null);
  if (!transaction) return null;
  const accounts = rows.filter((row) => row.role !== null);
  const inRole = (role: string) =>
    accounts.filter((row) => row.role === role).map(({ record }) => toAccountRecord(new PackedRow(record)));
  const known = [signature, transaction.consumed_hashes, transaction.created_hashes];
  return {
    json: decodeTransactionJson(transaction.json, known),
    consumed: inRole('consumed'),
    created: inRole('created'),
  };
}
