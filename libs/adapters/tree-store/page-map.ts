import { PAGE_BYTES, type PageId } from '@fresnel/domain/trees';

/**
 * So many neighbours are in one piece of memory. A piece of memory costs V8 half a kilobyte besides its bytes, and has to be copied
 * whenever one of its pages changes.
 */
const PAGES_PER_GROUP = 8;
/** A byte that is 1 if the page exists, and the page. */
const ENTRY_BYTES = 1 + PAGE_BYTES;

/** The pages of a tree in memory. What it returns stays as it is when pages change. */
export class PageMap {
  private readonly groups = new Map<number, Buffer>();

  get(id: PageId): Buffer | undefined {
    const group = this.groups.get(groupOf(id));
    if (!group) return undefined;
    const at = offsetOf(id);
    return group[at] === 1 ? group.subarray(at + 1, at + ENTRY_BYTES) : undefined;
  }

  put(pages: Iterable<readonly [PageId, Buffer]>): void {
    const copied = new Set<number>();
    for (const [id, page] of pages) {
      const key = groupOf(id);
      let group = this.groups.get(key);
      if (!group || !copied.has(key)) {
        group = copyOf(group);
        this.groups.set(key, group);
        copied.add(key);
      }
      const at = offsetOf(id);
      group[at] = 1;
      page.copy(group, at + 1);
    }
  }
}

function groupOf(id: PageId): number {
  return Math.floor(id / PAGES_PER_GROUP);
}

function offsetOf(id: PageId): number {
  return (id % PAGES_PER_GROUP) * ENTRY_BYTES;
}

/** Not a part of a slab of small buffers, which the group would keep as a whole. */
function copyOf(group: Buffer | undefined): Buffer {
  const copy = Buffer.allocUnsafeSlow(PAGES_PER_GROUP * ENTRY_BYTES);
  if (group) copy.set(group);
  else copy.fill(0);
  return copy;
}
