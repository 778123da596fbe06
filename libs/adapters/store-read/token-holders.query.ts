import { type Pubkey, PUBKEY_BYTES, toPubkey } from '@fresnel/domain/primitives';
import { indexedSlotOf, type WithIndexedSlot } from './indexed-slot';
import { type Reader, type Statement } from './reader';
import { type RecordPage } from './record-page';

export interface HolderRecord {
  owner: Pubkey;
  balance: bigint;
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
): Promise<RecordPage<HolderRecord>> {
  const { balance, owner } = after ?? FIRST_PAGE;
  const rows = await reader.query<Row>(TOKEN_HOLDERS, [mint, balance, owner, limit]);
  const slot = indexedSlotOf(rows);
  const records = rows[0].records ?? Buffer.alloc(0);
  const starts = startsOf(records);
  const lastStart = starts.at(-1);
  const last = lastStart === undefined ? null : holderAt(records, lastStart);
  return { slot, records, count: starts.length, last };
}

/** The holders of a page. */
export function holdersIn(records: Buffer): HolderRecord[] {
  return startsOf(records).map((start) => holderAt(records, start));
}

function startsOf(records: Buffer): number[] {
  const starts: number[] = [];
  for (let start = 0; start < records.length; start = endOfDigits(records, start + PUBKEY_BYTES) + 1)
    starts.push(start);
  return starts;
}

function holderAt(records: Buffer, start: number): HolderRecord {
  const digitsAt = start + PUBKEY_BYTES;
  return {
    owner: toPubkey(records.subarray(start, digitsAt)),
    balance: BigInt(records.toString('latin1', digitsAt, endOfDigits(records, digitsAt))),
  };
}

function endOfDigits(records: Buffer, at: number): number {
  let end = at;
  while (end < records.length && records[end] !== 0) end++;
  return end;
}
