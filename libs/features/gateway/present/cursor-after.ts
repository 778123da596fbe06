/** Where the next page begins; null where this one is not full and so is the last. */
export function cursorAfter<Item>(items: readonly Item[], limit: number, write: (last: Item) => string): string | null {
  const last = items.at(-1);
  return last !== undefined && items.length === limit ? write(last) : null;
}
