import { type Hash, type Pubkey } from '@fresnel/domain/primitives';
import { accountList, type AccountListRow, readAccountList } from './account-list';
import { type AccountRecord } from './account-record';
import { TooManyAccountsError } from './errors';
import { indexedSlotOf } from './indexed-slot';
import { type PackedRows } from './packed-rows';
import { type Reader, type Statement } from './reader';

/** The last account of a page. The next page starts after it. */
export interface OwnerAccountPosition {
  leafIndex: bigint;
  hash: Hash;
}

/** Accounts whose data, without the discriminator, have these bytes at this offset. Accounts without data have none. */
export interface DataFilter {
  offset: number;
  bytes: Buffer;
}

export interface AccountPage {
  /** The slot at which the page is true. */
  slot: number;
  items: PackedRows<AccountRecord>;
  /** Accounts of the owner that filters have to be compared with. Absent without filters. */
  filteredRows?: number;
}

/** Filtered lists read all accounts of an owner in the worst case. Owners of more accounts are refused. */
const MAX_FILTERED_ACCOUNTS = 1_000_000;

/** The page `u` of the list, before it is joined with `accounts`: `leaf_index >=` makes it a range of the index. */
const AFTER = `u.owner_digest = key_digest($1) AND u.leaf_index >= $2 AND (u.leaf_index, u.hash) > ($2, $3)`;

const ORDER = 'page.leaf_index, page.hash';

export const OWNER_ACCOUNTS: Statement = {
  name: 'owner-accounts',
  text: accountList(
    `SELECT u.leaf_index, u.hash FROM unspent_accounts u WHERE ${AFTER} ORDER BY u.leaf_index, u.hash LIMIT $4`,
    ORDER,
  ),
};

/** $7: the most accounts of an owner */
export const FILTERED_OWNER_ACCOUNTS: Statement = {
  name: 'filtered-owner-accounts',
  text: `
    WITH counted AS MATERIALIZED (
      SELECT count(*)::integer AS owned
      FROM (SELECT FROM unspent_accounts WHERE owner_digest = key_digest($1) LIMIT $7::integer + 1) owned
    )
    ${accountList(
      `SELECT u.leaf_index, u.hash FROM unspent_accounts u JOIN accounts listed ON listed.hash = u.hash
        WHERE counted.owned <= $7::integer AND ${AFTER} AND NOT EXISTS (
          SELECT FROM unnest($5::integer[], $6::bytea[]) AS filter (start, bytes)
          WHERE substr(account_data(listed), start, length(bytes)) IS DISTINCT FROM bytes)
        ORDER BY u.leaf_index, u.hash LIMIT $4`,
      ORDER,
      'indexer_state s CROSS JOIN counted',
      'counted.owned,',
    )}`,
};

/** Lower than every position. */
const FIRST_PAGE = { leafIndex: -1n, hash: Buffer.alloc(0) };

/** An offset behind the data of every account; Postgres counts bytes from 1 with a signed 32-bit integer. */
const MAX_OFFSET = 2 ** 31 - 2;

type Row = AccountListRow & { owned?: number };

/**
 * Returns the unspent accounts that a program or a wallet owns, in ascending order of leaf index, then of hash.
 *
 * @param after last item of the previous page
 * @param maxFiltered the most accounts of an owner whose list can be filtered
 * @throws TooManyAccountsError with filters, if the owner has more accounts
 */
export async function findOwnerAccounts(
  reader: Reader,
  owner: Pubkey,
  limit: number,
  after: OwnerAccountPosition | null,
  filters: readonly DataFilter[] = [],
  maxFiltered = MAX_FILTERED_ACCOUNTS,
): Promise<AccountPage> {
  const { leafIndex, hash } = after ?? FIRST_PAGE;
  const values = [owner, leafIndex, hash, limit];
  const rows =
    filters.length === 0
      ? await reader.query<Row>(OWNER_ACCOUNTS, values)
      : await reader.query<Row>(FILTERED_OWNER_ACCOUNTS, [
          ...values,
          filters.map(({ offset }) => Math.min(offset, MAX_OFFSET) + 1),
          filters.map(({ bytes }) => bytes),
          maxFiltered,
        ]);
  const slot = indexedSlotOf(rows);
  const [row] = rows;
  const filteredRows = row.owned;
  if (filteredRows !== undefined && filteredRows > maxFiltered)
    throw new TooManyAccountsError(`This owner has more than ${maxFiltered} accounts: their list cannot be filtered`);
  return { slot, items: readAccountList(row), filteredRows };
}
