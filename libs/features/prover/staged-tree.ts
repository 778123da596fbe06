import { type TreeCommit, type TreeReads } from '@fresnel/adapters/tree-store';
import { type Hash, keyOf, type Pubkey } from '@fresnel/domain/primitives';
import { type AddressTreeHead, type IndexedElement, type PageId, type UndoRecord } from '@fresnel/domain/trees';

/**
 * A tree with changes that are not committed yet: one batch may hold updates, say that the chain has left their blocks,
 * and go on with those of another branch. All of it becomes one commit.
 */
export class StagedTree implements TreeReads {
  private staged: TreeCommit | null = null;
  /** Values of elements that the store has and that are no more. */
  private readonly removed = new Set<string>();

  constructor(private readonly store: TreeReads) {}

  /** What has changed, in one; null: nothing. */
  get commit(): TreeCommit | null {
    return this.staged;
  }

  /** @param next what changes in the tree as it is with all that was staged before */
  stage(next: TreeCommit): void {
    this.staged = this.staged ? mergeCommits(this.staged, next) : next;
    for (const { value } of next.removed) this.removed.add(keyOf(value));
  }

  async findHead(tree: Pubkey): Promise<AddressTreeHead | null> {
    return this.staged?.head ?? this.store.findHead(tree);
  }

  /**
   * Where the stored element below a value is gone, the one that took over its range was rewritten for that: it is staged,
   * and no stored one lies between the two.
   */
  async findLowElements(tree: Pubkey, values: readonly Hash[]): Promise<(IndexedElement | undefined)[]> {
    const stored = await this.store.findLowElements(tree, values);
    const { staged } = this;
    if (!staged) return stored;
    const byIndex = new Map(staged.elements.map((element) => [element.index, element]));
    return values.map((value, at) => {
      const held = stored[at];
      const isThere = held && !this.removed.has(keyOf(held.value));
      const low = isThere ? (byIndex.get(held.index) ?? held) : undefined;
      return staged.elements.reduce((best, element) => {
        const isBelow = element.value.compare(value) < 0;
        return isBelow && (!best || element.value.compare(best.value) > 0) ? element : best;
      }, low);
    });
  }

  async readPages(tree: Pubkey, ids: readonly PageId[]): Promise<Map<PageId, Buffer>> {
    const pages = this.staged?.pages;
    const found = await this.store.readPages(
      tree,
      ids.filter((id) => !pages?.has(id)),
    );
    for (const id of ids) {
      const page = pages?.get(id);
      if (page) found.set(id, page);
    }
    return found;
  }

  async readQueue(tree: Pubkey, from: bigint, to: bigint): Promise<Map<bigint, Hash>> {
    const found = await this.store.readQueue(tree, from, to);
    if (!this.staged) return found;
    const { queueTruncatedFrom, queued, queueStart } = this.staged;
    for (const position of found.keys()) {
      if (queueTruncatedFrom !== null && position >= queueTruncatedFrom) found.delete(position);
    }
    for (const [position, address] of queued) if (position >= from && position < to) found.set(position, address);
    for (const position of found.keys()) if (position < queueStart) found.delete(position);
    return new Map([...found].sort(([a], [b]) => Number(a - b)));
  }

  async readUndo(tree: Pubkey): Promise<UndoRecord[]> {
    const stored = await this.store.readUndo(tree);
    if (!this.staged) return stored;
    const first = firstNumberOf(this.staged);
    return [...stored.filter((record) => numberOf(record) < first), ...this.staged.undo];
  }
}

/** Two changes of a tree in a row as one. */
function mergeCommits(one: TreeCommit, next: TreeCommit): TreeCommit {
  const elements = new Map(one.elements.map((element) => [element.index, element]));
  for (const { index } of next.removed) elements.delete(index);
  for (const element of next.elements) elements.set(element.index, element);
  const queued = new Map(one.queued);
  for (const position of queued.keys()) {
    if (next.queueTruncatedFrom !== null && position >= next.queueTruncatedFrom) queued.delete(position);
  }
  for (const [position, address] of next.queued) queued.set(position, address);
  const first = firstNumberOf(next);
  // A tree that was closed because records are missing counts one more than there are; what it had is of no use then.
  const kept = first > one.head.changed.times ? [] : one.undo.filter((record) => numberOf(record) < first);
  return {
    head: next.head,
    removed: [...one.removed, ...next.removed],
    elements: [...elements.values()],
    pages: new Map([...one.pages, ...next.pages]),
    queueTruncatedFrom: lower(one.queueTruncatedFrom, next.queueTruncatedFrom),
    queued,
    queueStart: next.queueStart,
    undo: [...kept, ...next.undo],
  };
}

function numberOf({ before }: UndoRecord): number {
  return before.changed.times;
}

/** Records from this number on are replaced. */
function firstNumberOf({ head, undo }: TreeCommit): number {
  return head.changed.times - undo.length;
}

function lower(a: bigint | null, b: bigint | null): bigint | null {
  if (a === null || b === null) return a ?? b;
  return a < b ? a : b;
}
