import { type Pubkey, PUBKEY_BYTES, toPubkey } from '@fresnel/domain/primitives';
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

/** One row, because a row for each holder takes longer to send and to parse than to find. */
export const TOKEN_HOLDERS: Statement = {
  name: 'token-holders',
  text: `
    SELECT s.indexed_slot, page.owners, page.balances
    FROM indexer_state s, LATERAL (
      SELECT string_agg(owner, '' ORDER BY balance DESC, owner DESC) AS owners,
        string_agg(balance::text, ',' ORDER BY balance DESC, owner DESC) AS balances
      FROM (
        SELECT owner, balance FROM token_holders
        WHERE mint = $1 AND (balance, owner) < ($2, $3)
        ORDER BY balance DESC, owner DESC
        LIMIT $4
      ) holders
    ) page`,
};

/** Greater than every balance. */
const FIRST_PAGE = { balance: 10n ** 39n - 1n, owner: Buffer.alloc(0) };

type Row = WithIndexedSlot & {
  /** The keys in succession; null if there is no holder. */
  owners: Buffer | null;
  /** Decimals between commas. */
  balances: string | null;
};

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
  return { slot: indexedSlotOf(rows), items: toHolders(rows[0]) };
}

function toHolders({ owners, balances }: Row): HolderRecord[] {
  if (owners === null || balances === null) return [];
  return balances.split(',').map((balance, at) => ({
    owner: toPubkey(owners.subarray(at * PUBKEY_BYTES, (at + 1) * PUBKEY_BYTES)),
    balance: BigInt(balance),
  }));
}
