import { type Hash, type Pubkey } from '@fresnel/domain/primitives';
import {
  type AccountRecord,
  RECORD,
  toAccountRecord,
  type TokenAccountRecord,
  UNSPENT_RECORD_JOINS,
} from './account-record';
import { indexedSlotOf, type WithIndexedSlot } from './indexed-slot';
import { type PackedRow, PackedRows } from './packed-rows';
import { type Reader, type Statement } from './reader';

/** The last account of a page. The next page starts after it. */
export interface TokenAccountPosition {
  mint: Pubkey;
  hash: Hash;
}

export interface TokenAccountPage {
  /** The slot at which the page is true. */
  slot: number;
  items: PackedRows<TokenAccountRecord>;
}

/** Whose token accounts are listed. */
export type TokenAccountKey = 'token_owner' | 'delegate';

function tokenAccountsOf(key: TokenAccountKey, name: string, after: string): Statement {
  return {
    name,
    text: `
      SELECT s.indexed_slot, (
        SELECT string_agg(${RECORD}, '' ORDER BY a.mint, a.hash)
        FROM (
          SELECT u.hash FROM unspent_accounts u WHERE u.${key}_digest = key_digest($1) AND ${after}
          ORDER BY u.mint, u.hash LIMIT $4
        ) page JOIN accounts a ON a.hash = page.hash ${UNSPENT_RECORD_JOINS}
      ) AS records
      FROM indexer_state s`,
  };
}

const OF_ALL_MINTS = `(u.mint, u.hash) > ($2, $3)`;
const OF_ONE_MINT = `u.mint = $5 AND (u.mint, u.hash) > ($2, $3)`;

export const TOKEN_ACCOUNTS: Record<TokenAccountKey, { ofAllMints: Statement; ofOneMint: Statement }> = {
  token_owner: {
    ofAllMints: tokenAccountsOf('token_owner', 'token-accounts-by-owner', OF_ALL_MINTS),
    ofOneMint: tokenAccountsOf('token_owner', 'token-accounts-by-owner-and-mint', OF_ONE_MINT),
  },
  delegate: {
    ofAllMints: tokenAccountsOf('delegate', 'token-accounts-by-delegate', OF_ALL_MINTS),
    ofOneMint: tokenAccountsOf('delegate', 'token-accounts-by-delegate-and-mint', OF_ONE_MINT),
  },
};

type Row = WithIndexedSlot & { records: Buffer | null };

/** Lower than every position. */
const FIRST_PAGE = { mint: Buffer.alloc(0), hash: Buffer.alloc(0) };

/**
 * Returns unspent token accounts in ascending order of mint, then of hash.
 *
 * @param owner the owner or the delegate inside the token accounts
 * @param mint null: of all mints
 * @param after last item of the previous page
 */
export async function findTokenAccounts(
  reader: Reader,
  key: TokenAccountKey,
  owner: Pubkey,
  mint: Pubkey | null,
  limit: number,
  after: TokenAccountPosition | null,
): Promise<TokenAccountPage> {
  const position = after ?? FIRST_PAGE;
  const values = [owner, position.mint, position.hash, limit];
  const { ofAllMints, ofOneMint } = TOKEN_ACCOUNTS[key];
  const rows = mint
    ? await reader.query<Row>(ofOneMint, [...values, mint])
    : await reader.query<Row>(ofAllMints, values);
  const slot = indexedSlotOf(rows);
  return { slot, items: new PackedRows(rows[0].records, toTokenAccountRecord) };
}

function toTokenAccountRecord(row: PackedRow): TokenAccountRecord {
  const account = toAccountRecord(row);
  if (!isTokenAccount(account)) throw new TypeError('an account in a list of token accounts has no tokens');
  return account;
}

function isTokenAccount(account: AccountRecord): account is TokenAccountRecord {
  return account.token !== null;
}
