import { decodeBase58, encodeBase58 } from '@fresnel/domain/primitives';
import { type Page, type PageRequest } from './answers';
import { DEFAULT_LIMIT } from './paging';

/** An item of a list with its place in it. */
export interface Placed<Item> {
  item: Item;
  /** Sort key: ascending as bytes. */
  key: Buffer;
}

/**
 * The requested page of the items in ascending order. The cursor is the key of the last item.
 *
 * @param convert between a key and the bytes of a cursor, in both directions
 */
export function takeAscendingPage<Item>(
  placed: readonly Placed<Item>[],
  { limit = DEFAULT_LIMIT, cursor }: PageRequest,
  convert: (bytes: Buffer) => Buffer = (bytes) => bytes,
): Page<Item> {
  const after = cursor === undefined ? null : convert(decodeBase58(cursor));
  const rest = placed.filter(({ key }) => after === null || key.compare(after) > 0);
  const page = rest.sort((a, b) => a.key.compare(b.key)).slice(0, limit);
  const last = page.at(-1);
  const isFull = last !== undefined && page.length === limit;
  return { items: page.map(({ item }) => item), cursor: isFull ? encodeBase58(convert(last.key)) : null };
}
