/** A list whose items may be read one by one. */
export type List<Item> = Iterable<Item> & Pick<readonly Item[], 'length' | 'at'>;

/** The cursor of the next page: that of the last item if the page is full, null if it is not. */
export function nextCursor<Item>(items: List<Item>, limit: number, encode: (last: Item) => string): string | null {
  const last = items.at(-1);
  return last !== undefined && items.length === limit ? encode(last) : null;
}
