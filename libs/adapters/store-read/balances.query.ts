import { type Pubkey } from '@fresnel/domain/primitives';
import { indexedSlotOf, type WithIndexedSlot } from './indexed-slot';
import { type Reader, type Statement } from './reader';

export interface TokenBalanceRecord {
  mint: Pubkey;
  balance: bigint;
}

export interface TokenBalancePage {
  /** The slot at which the page is true. */
  slot: number;
  items: TokenBalanceRecord[];
}

/** One row for each owner, in the order of the request. */
export const OWNER_LAMPORTS: Statement = {
  name: 'owner-lamports',
  text: `
    SELECT s.indexed_slot, o.lamports
    FROM indexer_state s CROSS JOIN unnest($1::bytea[]) WITH ORDINALITY AS list (key, place)
    LEFT JOIN owner_lamports o ON o.owner_digest = key_digest(list.key)
    ORDER BY list.place`,
};

export const TOKEN_BALANCES: Statement = {
  name: 'token-balances',
  text: `
    SELECT s.indexed_slot, page.mint, page.balance
    FROM indexer_state s
    LEFT JOIN LATERAL (
      SELECT mint, balance FROM token_holders
      WHERE owner = $1 AND mint > $2 AND mint >= $4 AND mint <= $5
      ORDER BY mint LIMIT $3
    ) page ON true
    ORDER BY page.mint`,
};

const LOWEST_MINT = Buffer.alloc(0);
const HIGHEST_MINT = Buffer.alloc(32, 0xff);

/** Returns the lamports of an owner's unspent accounts; 0 for an unknown owner. */
export async function findOwnerLamports(reader: Reader, owner: Pubkey): Promise<{ slot: number; lamports: bigint }> {
  const row = await reader.lookUp<WithIndexedSlot & { lamports: string | null }>(OWNER_LAMPORTS, owner);
  return { slot: indexedSlotOf([row]), lamports: BigInt(row.lamports ?? 0) };
}

type Row = WithIndexedSlot & { mint: Pubkey | null; balance: string | null };

/**
 * Returns the balances of an owner's unspent tokens in ascending order of mint. Mints without a balance are not listed.
 *
 * @param mint null: all mints
 * @param after mint of the last item of the previous page
 */
export async function findTokenBalances(
  reader: Reader,
  owner: Pubkey,
  mint: Pubkey | null,
  limit: number,
  after: Pubkey | null,
): Promise<TokenBalancePage> {
  const values = [owner, after ?? LOWEST_MINT, limit, mint ?? LOWEST_MINT, mint ?? HIGHEST_MINT];
  const rows = await reader.query<Row>(TOKEN_BALANCES, values);
  const items = rows.flatMap(({ mint, balance }) => (mint && balance ? [{ mint, balance: BigInt(balance) }] : []));
  return { slot: indexedSlotOf(rows), items };
}
