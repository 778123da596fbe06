import { type Hash } from '@fresnel/domain/primitives';
import {
  RECORD_JOINS,
  RECORD_SELECT_LIST,
  type RecordRow,
  type AccountRecord,
  toAccountRecord,
} from './account-record';
import { indexedSlotOf, NEXT_SLOT_ID, type WithIndexedSlot } from './indexed-slot';
import { type Reader, type Statement } from './reader';

/** As of the indexed slot. A later slot may be stored already. */
const UNSPENT = `a.created_by < ${NEXT_SLOT_ID} AND spend.hash IS NULL AND a.owner IS NOT NULL`;

function accountBy(name: string, condition: string): Statement {
  return {
    name,
    text: `
      SELECT s.indexed_slot, found.*
      FROM indexer_state s
      LEFT JOIN LATERAL (
        SELECT ${RECORD_SELECT_LIST} FROM accounts a ${RECORD_JOINS}
        WHERE ${condition} AND ${UNSPENT}
        LIMIT 1
      ) found ON true`,
  };
}

export const ACCOUNT_BY_HASH = accountBy('account-by-hash', 'a.hash = $1');
/** Each account of an address is spent before the next one is created, so only those of the newest slot can be unspent. */
export const ACCOUNT_BY_ADDRESS = accountBy(
  'account-by-address',
  `a.address = $1 AND a.created_by >= (
    SELECT n.created_by >> 16 << 16 FROM accounts n WHERE n.address = $1 AND n.created_by < ${NEXT_SLOT_ID}
    ORDER BY n.created_by DESC LIMIT 1)`,
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
