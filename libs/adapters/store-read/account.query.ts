import { type Hash } from '@fresnel/domain/primitives';
import { type AccountRecord, RECORD, RECORD_JOINS, toAccountRecord } from './account-record';
import { indexedSlotOf, NEXT_SLOT_ID, type WithIndexedSlot } from './indexed-slot';
import { findIndexedSlot } from './indexer-status.query';
import { PackedRow } from './packed-rows';
import { type Reader, type Statement } from './reader';

/** As of the indexed slot. A later slot may be stored already. */
export const UNSPENT = `a.created_by < ${NEXT_SLOT_ID} AND spend.hash IS NULL AND a.owner IS NOT NULL`;

const WITH_HASH = 'a.hash = list.key';

/** Each account of an address is spent before the next one is created, so only those of the newest slot can be unspent. */
export const atAddress = (address: string) => `
  a.address = ${address} AND a.created_by >= (
    SELECT n.created_by >> 16 << 16 FROM accounts n WHERE n.address = ${address} AND n.created_by < ${NEXT_SLOT_ID}
    ORDER BY n.created_by DESC LIMIT 1)`;

/** One row for each key, in the order of the request. */
function accountsBy(name: string, condition: string): Statement {
  return {
    name,
    text: `
      SELECT s.indexed_slot, found.record
      FROM indexer_state s CROSS JOIN unnest($1::bytea[]) WITH ORDINALITY AS list (key, place)
      LEFT JOIN LATERAL (
        SELECT ${RECORD} AS record FROM accounts a ${RECORD_JOINS}
        WHERE ${condition} AND ${UNSPENT}
        LIMIT 1
      ) found ON true
      ORDER BY list.place`,
  };
}

export const ACCOUNTS_BY_HASH = accountsBy('accounts-by-hash', WITH_HASH);
export const ACCOUNTS_BY_ADDRESS = accountsBy('accounts-by-address', atAddress('list.key'));

type Row = WithIndexedSlot & {
  /** Null if there is no such account. */
  record: Buffer | null;
};

/** Returns the unspent account with a hash or an address, and the slot at which the response is true. */
export async function findAccount(
  reader: Reader,
  key: { hash: Hash } | { address: Hash },
): Promise<{ slot: number; account: AccountRecord | null }> {
  const row =
    'hash' in key
      ? await reader.lookUp<Row>(ACCOUNTS_BY_HASH, key.hash)
      : await reader.lookUp<Row>(ACCOUNTS_BY_ADDRESS, key.address);
  return { slot: indexedSlotOf([row]), account: row.record && toAccountRecord(new PackedRow(row.record)) };
}

/**
 * Returns the unspent accounts with some hashes or addresses, in the order of the request.
 *
 * @returns null for each account that does not exist or is spent
 */
export async function findAccounts(
  reader: Reader,
  keys: { hashes: readonly Hash[] } | { addresses: readonly Hash[] },
): Promise<{ slot: number; items: (AccountRecord | null)[] }> {
  const isEmpty = ('hashes' in keys ? keys.hashes : keys.addresses).length === 0;
  if (isEmpty) return { slot: await findIndexedSlot(reader), items: [] };
  const rows =
    'hashes' in keys
      ? await reader.query<Row>(ACCOUNTS_BY_HASH, [keys.hashes])
      : await reader.query<Row>(ACCOUNTS_BY_ADDRESS, [keys.addresses]);
  return {
    slot: indexedSlotOf(rows),
    items: rows.map(({ record }) => record && toAccountRecord(new PackedRow(record))),
  };
}
