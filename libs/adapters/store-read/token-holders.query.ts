import { type Pubkey, PUBKEY_BYTES, toPubkey } from '@fresnel/domain/primitives';
import { indexedSlotOf, type WithIndexedSlot } from './indexed-slot';
import { readDigits } from './packed-rows';
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
    SELECT s.indexed_slot, (
      SELECT string_agg(owner || textsend(balance::text), '\\x00' ORDER BY balance DESC, owner DESC)
      FROM (
        SELECT owner, balance FROM token_holders
        WHERE mint = $1 AND (balance, owner) < ($2, $3)
        ORDER BY balance DESC, owner DESC
        LIMIT $4
      ) holders
    ) AS records
    FROM indexer_state s`,
};

/** Greater than every balance. */
const FIRST_PAGE = { balance: 10n ** 39n - 1n, owner: Buffer.alloc(0) };

const SEPARATOR = 0;

type Row = WithIndexedSlot & {
  /** For each holder the key and the digits of the balance, with a byte 0 between holders; null if there is none. */
  records: Buffer | null;
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
  return { slot: indexedSlotOf(rows), items: holdersIn(rows[0].records ?? Buffer.alloc(0)) };
}

function holdersIn(records: Buffer): HolderRecord[] {
  const holders: HolderRecord[] = [];
  for (let start = 0; start < records.length;) {
    const digitsAt = start + PUBKEY_BYTES;
    let end = digitsAt;
    while (end < records.length && records[end] !== SEPARATOR) end++;
    const balance = readDigits(records, digitsAt, end);
    holders.push({ owner: toPubkey(records.subarray(start, digitsAt)), balance });
    start = end + 1;
  }
  return holders;
}
