import { type Pubkey } from '@fresnel/domain/primitives';
import { indexedSlotOf, type WithIndexedSlot } from './indexed-slot';
import { type Reader, type Statement } from './reader';

export interface HolderRecord {
  owner: Pubkey;
  balance: bigint;
}

export interface HolderPage {
  /** The slot at which the page is true. */
  slot: number;
  items: HolderRecord[];
}

export const TOKEN_HOLDERS: Statement = {
  name: 'token-holders',
  text: `
    SELECT s.indexed_slot, page.owner, page.balance
    FROM indexer_state s
    LEFT JOIN LATERAL (
      SELECT owner, balance FROM token_holders
      WHERE mint = $1 AND (balance, owner) < ($2, $3)
      ORDER BY balance DESC, owner DESC
      LIMIT $4
    ) page ON true
    ORDER BY page.balance DESC, page.owner DESC`,
};

/** Greater than every balance. */
const FIRST_PAGE = { balance: 10n ** 39n - 1n, owner: Buffer.alloc(0) };

type Row = WithIndexedSlot & { owner: Pubkey | null; balance: string | null };

/**
 * Returns the owners of a mint's unspent tokens, largest balance first, then largest owner key.
 *
 * @param after last item of the previous page
 */
export async function findTokenHolders(
  reader: Reader,
  mint: Pubkey,
  limit: number,
  after: HolderRecord | null,
): Promise<HolderPage> {
  const { balance, owner } = after ?? FIRST_PAGE;
  const rows = await reader.query<Row>(TOKEN_HOLDERS, [mint, balance, owner, limit]);
  const items = rows.flatMap(({ owner, balance }) => (owner && balance ? [{ owner, balance: BigInt(balance) }] : []));
  return { slot: indexedSlotOf(rows), items };
}
