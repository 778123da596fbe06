import { type Hash } from '@fresnel/domain/primitives';
import { RECORD_SELECT_LIST, type RecordRow, type AccountRecord, toAccountRecord } from './account-record';
import { indexedSlotOf, type WithIndexedSlot } from './indexed-slot';
import { type Reader, type Statement } from './reader';

/** As of the indexed slot. A later slot may be stored already. */
const UNSPENT = `
  a.slot_created <= s.indexed_slot AND (a.spent_slot IS NULL OR a.spent_slot > s.indexed_slot) AND a.owner IS NOT NULL`;

function accountBy(name: string, condition: string): Statement {
  return {
    name,
    text: `
      SELECT s.indexed_slot, found.*
      FROM indexer_state s
      LEFT JOIN LATERAL (
        SELECT ${RECORD_SELECT_LIST} FROM accounts a JOIN trees t ON t.tree = a.tree
        WHERE ${condition} AND ${UNSPENT}
        LIMIT 1
      ) found ON true`,
  };
}

export const ACCOUNT_BY_HASH = accountBy('account-by-hash', 'a.hash = $1');
/** Each account of an address is spent before the next one is created, so only those of the newest slot can be unspent. */
export const ACCOUNT_BY_ADDRESS = accountBy(
  'account-by-address',
  `a.address = $1 AND a.slot_created = (
    SELECT n.slot_created FROM accounts n WHERE n.address = $1 AND n.slot_created <= s.indexed_slot
    ORDER BY n.slot_created DESC LIMIT 1)`,
);

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
