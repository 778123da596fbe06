import { decodeBase58, encodeBase58, u64ToLittleEndian } from '@fresnel/domain/primitives';
import { type Page, type PageRequest } from './answers';

/** Number of items of a page without a limit. */
export const DEFAULT_LIMIT = 1000;
const RANK_BYTES = 8;

/** A source of an item with its sort key. */
export interface Ranked<Source> {
  source: Source;
  /** First sort key, descending. */
  rank: bigint;
  /** Second sort key, descending as bytes. */
  bytes: Buffer;
}

/**
 * The requested page of the sorted items. The cursor is the last item's rank, 8 bytes little endian, then its bytes.
 *
 * @param toItem is called for the items of the page only
 */
export function takePage<Source, Item>(
  ranked: readonly Ranked<Source>[],
  request: PageRequest,
  toItem: (source: Source) => Item,
): Page<Item> {
  const limit = request.limit ?? DEFAULT_LIMIT;
  const after = request.cursor === undefined ? null : parseCursor(request.cursor);
  const rest = ranked.filter((entry) => after === null || compare(after, entry) < 0).sort(compare);
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  const isFull = last !== undefined && page.length === limit;
  return { items: page.map(({ source }) => toItem(source)), cursor: isFull ? cursorOf(last) : null };
}

type SortKey = Pick<Ranked<unknown>, 'rank' | 'bytes'>;

function compare(a: SortKey, b: SortKey): number {
  if (a.rank !== b.rank) return a.rank > b.rank ? -1 : 1;
  return b.bytes.compare(a.bytes);
}

function cursorOf({ rank, bytes }: SortKey): string {
  return encodeBase58(Buffer.concat([u64ToLittleEndian(rank), bytes]));
}

function parseCursor(cursor: string): SortKey {
  const bytes = decodeBase58(cursor);
  return { rank: bytes.readBigUInt64LE(), bytes: bytes.subarray(RANK_BYTES) };
}
