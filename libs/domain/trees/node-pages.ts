import { HASH_BYTES, type Hash, type Hasher } from '@fresnel/domain/primitives';
import { zeroSubtrees } from './zero-subtrees';

/**
 * A page stores four levels of nodes, so a proof needs few reads.
 *
 * ```
 *            page root (belongs to the page above)
 *            ┌────────┴────────┐            level 4g+3     2 nodes
 *        ┌───┴───┐         ┌───┴───┐        level 4g+2     4 nodes
 *      ┌─┴─┐   ┌─┴─┐     ┌─┴─┐   ┌─┴─┐      level 4g+1     8 nodes
 *     ┌┴┐ ┌┴┐ ┌┴┐ ┌┴┐   ┌┴┐ ┌┴┐ ┌┴┐ ┌┴┐     level 4g      16 nodes, leaf level for g = 0
 * ```
 *
 * A page has 30 nodes, lowest level first: 960 bytes. Levels are counted from the leaves (0). The root of the tree is
 * in no page. A page that does not exist contains zero subtrees only.
 */
export const LEVELS_PER_PAGE = 4;
export const PAGE_BYTES = 30 * HASH_BYTES;

/** Index of the first node of each level in a page. */
const LEVEL_START = [0, 16, 24, 28];

/** Identifies a page in a tree: group of levels, and position in that group from the left. */
export type PageId = number;

/** Greater than every position in a group. The ids of a tree with 40 levels, 10 groups, are below 2^53. */
const GROUP_STRIDE = 2 ** 40;

/** The power operator is slow where its exponent varies, and these functions run for every node of a proof. */
const POWERS_OF_TWO = Array.from({ length: 64 }, (_, exponent) => 2 ** exponent);

export interface NodePosition {
  /** 0 for leaves. */
  level: number;
  /** From the left, 0-based. */
  index: number;
}

export function pageOf({ level, index }: NodePosition): PageId {
  const group = Math.floor(level / LEVELS_PER_PAGE);
  const levelsBelowPageRoot = LEVELS_PER_PAGE - (level % LEVELS_PER_PAGE);
  return group * GROUP_STRIDE + Math.floor(index / POWERS_OF_TWO[levelsBelowPageRoot]);
}

/** The pages with a leaf, its ancestors below the root, and all their siblings. */
export function pagesOnPath(leafIndex: number, height: number): PageId[] {
  const pages: PageId[] = [];
  for (let level = 0; level < height; level += LEVELS_PER_PAGE) {
    pages.push(pageOf({ level, index: Math.floor(leafIndex / POWERS_OF_TWO[level]) }));
  }
  return pages;
}

function offsetInPage({ level, index }: NodePosition): number {
  const row = level % LEVELS_PER_PAGE;
  return (LEVEL_START[row] + (index % POWERS_OF_TWO[LEVELS_PER_PAGE - row])) * HASH_BYTES;
}

/** Reads and changes the pages of a tree. Changed pages are copies: the given pages are not modified. */
export class NodePages {
  private readonly changed = new Map<PageId, Buffer>();

  /**
   * @param read returns a page, or undefined if it does not exist; must have all pages on the used paths
   */
  constructor(
    private readonly read: (id: PageId) => Buffer | undefined,
    private readonly hasher: Hasher,
  ) {}

  node(position: NodePosition): Hash {
    const page = this.page(pageOf(position));
    if (!page) return zeroSubtrees(this.hasher)[position.level];
    const at = offsetInPage(position);
    return page.subarray(at, at + HASH_BYTES) as Hash;
  }

  /** The `height` siblings on the path of a leaf, leaf level first. */
  siblings(leafIndex: number, height: number): Hash[] {
    const siblings: Hash[] = [];
    let index = leafIndex;
    for (let level = 0; level < height; level += LEVELS_PER_PAGE) {
      const page = this.page(pageOf({ level, index }));
      let indexInRow = index % POWERS_OF_TWO[LEVELS_PER_PAGE];
      for (let row = 0; row < LEVELS_PER_PAGE && siblings.length < height; row++) {
        const at = (LEVEL_START[row] + (indexInRow ^ 1)) * HASH_BYTES;
        siblings.push(page ? (page.subarray(at, at + HASH_BYTES) as Hash) : zeroSubtrees(this.hasher)[level + row]);
        indexInRow >>= 1;
      }
      index = Math.floor(index / POWERS_OF_TWO[LEVELS_PER_PAGE]);
    }
    return siblings;
  }

  /**
   * Writes leaves and rehashes their ancestors, each once.
   *
   * @param leaves by leaf index
   * @returns the new root
   */
  writeLeaves(leaves: ReadonlyMap<number, Hash>, height: number): Hash {
    for (const [index, leaf] of leaves) this.setNode({ level: 0, index }, leaf);
    let changed = new Set(leaves.keys());
    let root = zeroSubtrees(this.hasher)[height];
    for (let level = 1; level <= height; level++) {
      changed = new Set([...changed].map((index) => Math.floor(index / 2)));
      for (const index of changed) {
        const below = level - 1;
        const left = this.node({ level: below, index: index * 2 });
        const right = this.node({ level: below, index: index * 2 + 1 });
        const parent = this.hasher([left, right]);
        if (level === height) root = parent;
        else this.setNode({ level, index }, parent);
      }
    }
    return root;
  }

  changedPages(): ReadonlyMap<PageId, Buffer> {
    return this.changed;
  }

  private page(id: PageId): Buffer | undefined {
    return this.changed.get(id) ?? this.read(id);
  }

  private setNode(position: NodePosition, hash: Hash): void {
    const id = pageOf(position);
    let page = this.changed.get(id);
    if (!page) {
      const existing = this.read(id);
      page = existing ? Buffer.from(existing) : emptyPage(Math.floor(position.level / LEVELS_PER_PAGE), this.hasher);
      this.changed.set(id, page);
    }
    hash.copy(page, offsetInPage(position));
  }
}

function emptyPage(group: number, hasher: Hasher): Buffer {
  const page = Buffer.alloc(PAGE_BYTES);
  const zeros = zeroSubtrees(hasher);
  LEVEL_START.forEach((start, row) => {
    const end = row + 1 < LEVELS_PER_PAGE ? LEVEL_START[row + 1] : PAGE_BYTES / HASH_BYTES;
    const level = Math.min(group * LEVELS_PER_PAGE + row, zeros.length - 1);
    for (let node = start; node < end; node++) zeros[level].copy(page, node * HASH_BYTES);
  });
  return page;
}

/**
 * Hashes a leaf and its siblings up to the root.
 * @param siblings leaf level first
 */
export function rootOfProof(leaf: Hash, leafIndex: number, siblings: readonly Hash[], hasher: Hasher): Hash {
  let node = leaf;
  let index = leafIndex;
  for (const sibling of siblings) {
    node = index % 2 === 0 ? hasher([node, sibling]) : hasher([sibling, node]);
    index = Math.floor(index / 2);
  }
  return node;
}
