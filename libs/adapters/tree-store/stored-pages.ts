import { PAGE_BYTES, type PageId, pageIdOf, pagePlace } from '@fresnel/domain/trees';
import { RecordTable } from './record-table';

/** The pages above 4,096 leaves: 250 kB. */
const PAGES_PER_CHUNK = 256;

/** The pages of a tree. The leaf indexes of a tree have no gaps, and so neither do the positions of its pages. */
export class StoredPages {
  /** By group of levels. */
  private readonly groups: RecordTable[] = [];

  /** The bytes of a page; undefined if it does not exist. Later changes of the page change these bytes. */
  find(id: PageId): Buffer | undefined {
    const { group, position } = pagePlace(id);
    return this.groups.at(group)?.find(position);
  }

  /** Returns copies of the pages that exist. */
  copy(ids: readonly PageId[]): Map<PageId, Buffer> {
    const copies = Buffer.allocUnsafeSlow(ids.length * PAGE_BYTES);
    const found = new Map<PageId, Buffer>();
    for (const [at, id] of ids.entries()) {
      const page = this.find(id);
      if (!page) continue;
      const copy = copies.subarray(at * PAGE_BYTES, (at + 1) * PAGE_BYTES);
      copy.set(page);
      found.set(id, copy);
    }
    return found;
  }

  /** The ids of all pages, ascending. */
  *ids(): Iterable<PageId> {
    for (const [group, table] of this.groups.entries()) {
      for (const position of table.numbers()) yield pageIdOf({ group, position });
    }
  }

  /** Adds a page, or replaces the one with the same id. */
  put(id: PageId, page: Buffer): void {
    this.putRecord(id, page, 0);
  }

  /** Like `put`, with a page that starts at an offset of `source`. */
  putRecord(id: PageId, source: Buffer, from: number): void {
    const { group, position } = pagePlace(id);
    while (this.groups.length <= group) this.groups.push(new RecordTable(PAGE_BYTES, PAGES_PER_CHUNK));
    const { chunk, at } = this.groups[group].create(position);
    source.copy(chunk, at, from, from + PAGE_BYTES);
  }
}
