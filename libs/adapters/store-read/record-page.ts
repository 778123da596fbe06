/** A page as the bytes of its items in succession: most of its items are written without being parsed. */
export interface RecordPage<Item> {
  /** The slot at which the page is true. */
  slot: number;
  records: Buffer;
  /** The number of items. */
  count: number;
  /** Null if the page is empty. */
  last: Item | null;
}
