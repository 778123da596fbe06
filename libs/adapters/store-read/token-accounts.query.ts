import { type Hash, type Pubkey } from '@fresnel/domain/primitives';
import { accountList, type AccountListRow, readAccountList } from './account-list';
import { type AccountRecord, type TokenAccountRecord } from './account-record';
import { indexedSlotOf } from './indexed-slot';
import { type PackedRows } from './packed-rows';
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
    text: accountList(
      `SELECT u.mint, u.hash FROM unspent_accounts u WHERE u.${key}_digest = key_digest($1) AND ${after}
        ORDER BY u.mint, u.hash LIMIT $4`,
      'page.mint, page.hash',
    ),
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
    ? await reader.query<AccountListRow>(ofOneMint, [...values, mint])
    : await reader.query<AccountListRow>(ofAllMints, values);
  const slot = indexedSlotOf(rows);
  return { slot, items: readAccountList(rows[0]).map(requireTokens) };
}

function requireTokens(account: AccountRecord): TokenAccountRecord {
  if (!isTokenAccount(account)) throw new TypeError('an account in a list of token accounts has no tokens');
  return account;
}

function isTokenAccount(account: AccountRecord): account is TokenAccountRecord {
  return account.token !== null;
}
