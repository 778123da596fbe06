import {
  type BatchHasher,
  HASH_BYTES,
  type Hash,
  type Hasher,
  hashInSeries,
  type HashSeries,
  type TreeHasher,
} from '@fresnel/domain/primitives';
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
const PAIR_BYTES = 2 * HASH_BYTES;

/** Index of the first node of each level in a page. */
const LEVEL_START = [0, 16, 24, 28];

/** The most nodes that are hashed at once: reading and writing them holds the event loop. */
const MAX_BATCH = 1_024;

/** A level with fewer changed nodes, and all levels above it, are hashed in one series instead of a batch for each level. */
const MIN_BATCH = 64;

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

/** The pages on the paths of several leaves, each once. */
export function pagesOnPaths(leafIndexes: Iterable<number>, height: number): PageId[] {
  const pages: PageId[] = [];
  let positions: Iterable<number> = leafIndexes;
  for (let group = 0; group * LEVELS_PER_PAGE < height; group++) {
    const above = new Set<number>();
    for (const position of positions) above.add(Math.floor(position / POWERS_OF_TWO[LEVELS_PER_PAGE]));
    for (const position of above) pages.push(group * GROUP_STRIDE + position);
    positions = above;
  }
  return pages;
}

function offsetInPage({ level, index }: NodePosition): number {
  const row = level % LEVELS_PER_PAGE;
  return (LEVEL_START[row] + (index % POWERS_OF_TWO[LEVELS_PER_PAGE - row])) * HASH_BYTES;
}

/** Nodes, lowest level first, and how to hash them. */
interface SeriesPlan {
  nodes: NodePosition[];
  series: HashSeries;
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

  /** The siblings of nodes of one level, concatenated. @param indices ascending */
  siblingsOf(indices: readonly number[], level: number): Buffer {
    const siblings = Buffer.allocUnsafe(indices.length * HASH_BYTES);
    const row = level % LEVELS_PER_PAGE;
    const nodesInRow = POWERS_OF_TWO[LEVELS_PER_PAGE - row];
    const zero = zeroSubtrees(this.hasher)[level];
    let id: PageId | undefined;
    let page: Buffer | undefined;
    indices.forEach((index, at) => {
      const next = pageOf({ level, index });
      if (next !== id) page = this.page((id = next));
      const start = (LEVEL_START[row] + ((index % nodesInRow) ^ 1)) * HASH_BYTES;
      if (page) page.copy(siblings, at * HASH_BYTES, start, start + HASH_BYTES);
      else zero.copy(siblings, at * HASH_BYTES);
    });
    return siblings;
  }

  /**
   * Writes leaves and rehashes their ancestors, each once.
   *
   * @param leaves by leaf index
   * @returns the new root
   */
  writeLeaves(leaves: ReadonlyMap<number, Hash>, height: number): Hash {
    const plan = this.planSeries(this.setLeaves(leaves), { from: 1, height });
    return this.setHashed(plan, hashInSeries(plan.series, this.hasher), height);
  }

  /**
   * Like `writeLeaves`, while other work of the event loop goes on. Levels with many changed nodes are hashed in batches, which
   * are computed in parallel, and the levels above them in one series. The pages may not be used until it resolves.
   */
  async writeLeavesInBatches(
    leaves: ReadonlyMap<number, Hash>,
    height: number,
    { hashBatch, hashSeries }: Pick<TreeHasher, 'hashBatch' | 'hashSeries'>,
  ): Promise<Hash> {
    let level = 1;
    let changed = this.setLeaves(leaves);
    for (; ; level++) {
      const parents = parentsOf(changed);
      if (parents.length < MIN_BATCH) break;
      await this.hashLevel(level, parents, hashBatch);
      changed = parents;
    }
    const plan = this.planSeries(changed, { from: level, height });
    return this.setHashed(plan, await hashSeries(plan.series), height);
  }

  /** @returns the leaf indexes, ascending */
  private setLeaves(leaves: ReadonlyMap<number, Hash>): readonly number[] {
    for (const [index, leaf] of leaves) this.setNode({ level: 0, index }, leaf);
    return [...leaves.keys()].sort((a, b) => a - b);
  }

  private async hashLevel(level: number, indexes: readonly number[], hashBatch: BatchHasher): Promise<void> {
    for (let from = 0; from < indexes.length; from += MAX_BATCH) {
      const batch = indexes.slice(from, from + MAX_BATCH);
      const pairs = Buffer.allocUnsafe(batch.length * PAIR_BYTES);
      batch.forEach((index, at) => {
        this.copyChildren({ level, index }, pairs, at * PAIR_BYTES);
      });
      const hashes = await hashBatch(2, pairs);
      batch.forEach((index, at) => {
        this.setNode({ level, index }, hashAt(hashes, at));
      });
    }
  }

  /** Plans the hashes of all ancestors of changed nodes, from a level on. @param changed those of the level below, ascending */
  private planSeries(changed: readonly number[], { from, height }: { from: number; height: number }): SeriesPlan {
    const nodes: NodePosition[] = [];
    const values: Hash[] = [];
    const operands: number[] = [];
    /** Positions in the series of the hashed nodes of the level below. */
    let below = new Map<number, number>();
    for (let level = from; level <= height; level++) {
      const hashed = new Map<number, number>();
      changed = parentsOf(changed);
      for (const index of changed) {
        for (const child of [2 * index, 2 * index + 1]) {
          const at = below.get(child);
          operands.push(at === undefined ? values.push(this.node({ level: level - 1, index: child })) - 1 : -1 - at);
        }
        hashed.set(index, nodes.push({ level, index }) - 1);
      }
      below = hashed;
    }
    return { nodes, series: { values: Buffer.concat(values), operands: Int32Array.from(operands) } };
  }

  /** Writes the nodes of a series. @returns the root, which is the last one */
  private setHashed({ nodes }: SeriesPlan, hashes: Buffer, height: number): Hash {
    nodes.forEach((node, at) => {
      if (node.level < height) this.setNode(node, hashAt(hashes, at));
    });
    return nodes.length > 0 ? hashAt(hashes, nodes.length - 1) : zeroSubtrees(this.hasher)[height];
  }

  changedPages(): ReadonlyMap<PageId, Buffer> {
    return this.changed;
  }

  private page(id: PageId): Buffer | undefined {
    return this.changed.get(id) ?? this.read(id);
  }

  /** Copies both children of a changed node, which are side by side in one page. */
  private copyChildren({ level, index }: NodePosition, to: Buffer, at: number): void {
    const left = { level: level - 1, index: index * 2 };
    const page = this.changed.get(pageOf(left));
    if (!page) throw new Error('a child of a changed node is in no changed page');
    const start = offsetInPage(left);
    page.copy(to, at, start, start + PAIR_BYTES);
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

/** The parents of nodes of one level, each once. @param indexes ascending */
function parentsOf(indexes: readonly number[]): number[] {
  const parents: number[] = [];
  for (const index of indexes) {
    const parent = Math.floor(index / 2);
    if (parent !== parents[parents.length - 1]) parents.push(parent);
  }
  return parents;
}

function hashAt(hashes: Buffer, at: number): Hash {
  return hashes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES) as Hash;
}
