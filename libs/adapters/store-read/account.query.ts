import { type Hash } from '@fresnel/domain/primitives';
import { RECORD_SELECT_LIST, type RecordRow, type AccountRecord, toAccountRecord } from './account-record';
import { indexedSlotOf, type WithIndexedSlot } from './indexed-slot';
import { type Reader, type Statement } from './reader';

const UNSPENT = `a.spent_slot IS NULL AND a.owner IS NOT NULL`;

function accountBy(name: string, condition: string): Statement {
  return {
    name,
    text: `
      SELECT s.indexed_slot, found.*
      FROM indexer_state s
      LEFT JOIN LATERAL (
        SELECT ${RECORD_SELECT_LIST} FROM accounts a JOIN trees t ON t.tree = a.tree
        WHERE ${condition} AND ${UNSPENT}
        ORDER BY a.slot_created DESC
        LIMIT 1
      ) found ON true`,
  };
}

export const ACCOUNT_BY_HASH = accountBy('account-by-hash', 'a.hash = $1');
export const ACCOUNT_BY_ADDRESS = accountBy('account-by-address', 'a.address = $1');

type Row = WithIndexedSlot & { [Column in keyof RecordRow]: RecordRow[Column] | null };

/** Returns the unspent account with a hash or an address, and the slot at which the response is true. */
export async function findAccount(
  reader: Reader,
  key: { hash: Hash } | { address: Hash },
): Promise<{ slot: number; account: AccountRecord | null }> {
  const rows =
    'hash' in key
      ? await reader.query<Row>(ACCOUNT_BY_HASH, [key.hash])
      : await reader.query<Row>(ACCOUNT_BY_ADDRESS, [key.address]);
  const slot = indexedSlotOf(rows);
  return { slot, account: isFound(rows[0]) ? toAccountRecord(rows[0]) : null };
}

function isFound(row: Row): row is WithIndexedSlot & RecordRow {
  return row.hash !== null;
}
