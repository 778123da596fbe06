import { isDeepStrictEqual } from 'node:util';
import {
  extendsQueuesOnly,
  type OpenTree,
  type QueueCommit,
  type TreeCommit,
  type TreeEntry,
  type TreeReads,
} from '@fresnel/adapters/tree-store';
import { type Hash, keyOf } from '@fresnel/domain/primitives';
import {
  type IndexedElement,
  type PageId,
  type QueuedNullifier,
  type TreeHead,
  type UndoRecord,
} from '@fresnel/domain/trees';

/**
 * A stored tree with uncommitted changes. Everything that is read of it is of the entry that the commit names. One batch may contain
 * updates, the revert of their blocks, and the updates of the new branch; together they become one commit.
 */
export class StagedTree implements TreeReads {
  private staged: TreeCommit | null = null;
  /** Values of stored elements that the staged changes remove. */
  private readonly removed = new Set<string>();

  constructor(private readonly stored: OpenTree) {}

  /** All staged changes as one commit; null if there are none, as after repetitions. */
  get commit(): TreeEntry | null {
    const { staged, stored } = this;
    return staged && !isUnchanged(staged, stored.head) ? { ...staged, on: stored.entry } : null;
  }

  get head(): TreeHead | null {
    return this.staged?.head ?? this.stored.head;
  }

  /** @param next changes on top of everything staged before */
  stage(next: TreeCommit): void {
    this.staged = this.staged ? mergeCommits(this.staged, next) : next;
    for (const { value } of next.removed) this.removed.add(keyOf(value));
  }

  /**
   * If the stored low element was removed, the element that now covers its range is staged: the removal rewrote it. No
   * other stored element lies between the two.
   */
  async findLowElements(values: readonly Hash[]): Promise<(IndexedElement | undefined)[]> {
    const stored = await this.stored.findLowElements(values);
    const { staged } = this;
    if (!staged) return stored;
    const byIndex = new Map(staged.elements.map((element) => [element.index, element]));
    return values.map((value, position) => {
      const element = stored[position];
      const isPresent = element && !this.removed.has(keyOf(element.value));
      const low = isPresent ? (byIndex.get(element.index) ?? element) : undefined;
      return staged.elements.reduce((best, element) => {
        const isBelow = element.value.compare(value) < 0;
        return isBelow && (!best || element.value.compare(best.value) > 0) ? element : best;
      }, low);
    });
  }

  async readPages(ids: readonly PageId[]): Promise<Map<PageId, Buffer>> {
    const pages = this.staged?.pages;
    const found = await this.stored.readPages(ids.filter((id) => !pages?.has(id)));
    for (const id of ids) {
      const page = pages?.get(id);
      if (page) found.set(id, page);
    }
    return found;
  }

  async readQueue(from: bigint, to: bigint): Promise<Map<bigint, Hash>> {
    const found = await this.stored.readQueue(from, to);
    return this.staged ? readStaged(found, this.staged.queue, from, to) : found;
  }

  async readNullifiers(from: bigint, to: bigint): Promise<Map<bigint, QueuedNullifier>> {
    const found = await this.stored.readNullifiers(from, to);
    return this.staged ? readStaged(found, this.staged.inputQueue, from, to) : found;
  }

  async readUndo(): Promise<UndoRecord[]> {
    const stored = await this.stored.readUndo();
    if (!this.staged) return stored;
    const first = firstNumberOf(this.staged);
    return [...stored.filter((record) => numberOf(record) < first), ...this.staged.undo];
  }
}

function isUnchanged(commit: TreeCommit, head: TreeHead | null): boolean {
  return extendsQueuesOnly(commit) && isDeepStrictEqual(commit.head, head);
}

/** Merges two consecutive commits of a tree. */
function mergeCommits(previous: TreeCommit, next: TreeCommit): TreeCommit {
  const elements = new Map(previous.elements.map((element) => [element.index, element]));
  for (const { index } of next.removed) elements.delete(index);
  for (const element of next.elements) elements.set(element.index, element);
  const first = firstNumberOf(next);
  // A tree quarantined for missing undo records counts one change more than it has records; the older ones are useless.
  const previousUndo =
    first > previous.head.changes.count ? [] : previous.undo.filter((record) => numberOf(record) < first);
  return {
    head: next.head,
    removed: [...previous.removed, ...next.removed],
    elements: [...elements.values()],
    pages: new Map([...previous.pages, ...next.pages]),
    queue: mergeQueues(previous.queue, next.queue),
    inputQueue: mergeQueues(previous.inputQueue, next.inputQueue),
    undo: [...previousUndo, ...next.undo],
  };
}

function mergeQueues<Entry>(previous: QueueCommit<Entry>, next: QueueCommit<Entry>): QueueCommit<Entry> {
  const added = new Map(previous.added);
  for (const position of added.keys()) {
    if (next.truncatedFrom !== null && position >= next.truncatedFrom) added.delete(position);
  }
  for (const [position, entry] of next.added) added.set(position, entry);
  return { truncatedFrom: minOrNull(previous.truncatedFrom, next.truncatedFrom), added, start: next.start };
}

/** Stored entries of a queue after the staged changes. */
function readStaged<Entry>(
  found: Map<bigint, Entry>,
  { truncatedFrom, added, start }: QueueCommit<Entry>,
  from: bigint,
  to: bigint,
): Map<bigint, Entry> {
  for (const position of found.keys()) {
    if (truncatedFrom !== null && position >= truncatedFrom) found.delete(position);
  }
  for (const [position, entry] of added) if (position >= from && position < to) found.set(position, entry);
  for (const position of found.keys()) if (position < start) found.delete(position);
  return new Map([...found].sort(([a], [b]) => Number(a - b)));
}

function numberOf({ before }: UndoRecord): number {
  return before.changes.count;
}

/** The undo records of a commit replace stored ones from this number on. */
function firstNumberOf({ head, undo }: TreeCommit): number {
  return head.changes.count - undo.length;
}

function minOrNull(a: bigint | null, b: bigint | null): bigint | null {
  if (a === null || b === null) return a ?? b;
  return a < b ? a : b;
}
