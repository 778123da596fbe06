import { type Hash, HASH_BYTES, type Hasher } from '@fresnel/domain/primitives';
import {
  copyUndoRecord,
  type IndexedElement,
  NodePages,
  type QueuedNullifier,
  type TreeHead,
  type UndoRecord,
} from '@fresnel/domain/trees';
import { AddressQueue } from './address-queue';
import { HashMemory } from './hash-memory';
import { createNullifierQueue, type PositionQueue } from './position-queue';
import { pathsOfElements } from './paths-of-elements';
import { SortedElements } from './sorted-elements';
import { StoredElements } from './stored-elements';
import { StoredPages } from './stored-pages';
import {
  type EntryId,
  extendsQueuesOnly,
  type QueueCommit,
  type TreeCommit,
  type TreeLeaf,
  type TreeProofs,
  undoNumbers,
} from './tree-store';

/** The contents of a tree, as a journal loads them. */
export class StoredTree {
  readonly elements = new StoredElements();
  readonly pages = new StoredPages();
  readonly queue = new AddressQueue();
  readonly inputQueue = createNullifierQueue();
  /** Oldest first. */
  readonly undo: UndoRecord[] = [];

  constructor(
    readonly head: TreeHead,
    readonly entry: EntryId,
  ) {}
}

/** A tree in memory. Everything that its methods return stays as it is when the tree changes. */
export class InMemoryTree {
  head: TreeHead;
  /** The entry that changed the tree last, and the last one that changed more than the ends of its queues. */
  entry: EntryId;
  nodesEntry: EntryId;
  undo: readonly UndoRecord[];
  private readonly undoMemory = new HashMemory();
  readonly elements: SortedElements;
  readonly pages: StoredPages;
  readonly queue: AddressQueue;
  readonly inputQueue: PositionQueue<QueuedNullifier>;

  constructor({ head, entry, elements, pages, queue, inputQueue, undo }: StoredTree) {
    this.head = head;
    this.entry = this.nodesEntry = entry;
    this.elements = new SortedElements(elements);
    this.pages = pages;
    this.queue = queue;
    this.inputQueue = inputQueue;
    this.undo = this.copyUndo(undo);
  }

  prove(addresses: readonly Hash[], hasher: Hasher): Pick<TreeProofs, 'items' | 'paths'> {
    const pages = new NodePages((id) => this.pages.find(id), hasher);
    const lows = addresses.map((address) => this.elements.findLow(address));
    return {
      items: lows.map((low, at) => ({ low, exists: this.exists(addresses[at], low) })),
      paths: pathsOfElements(pages, lows, this.head),
    };
  }

  /** Returns leaves with their siblings. */
  readLeaves(leafIndices: readonly number[], hasher: Hasher): TreeLeaf[] {
    const nodes = new NodePages((id) => this.pages.find(id), hasher);
    return leafIndices.map((index) => {
      const [hash, ...siblings] = copyHashes([
        nodes.node({ level: 0, index }),
        ...nodes.siblings(index, this.head.info.height),
      ]);
      return { hash, siblings };
    });
  }

  apply(commit: TreeCommit, entry: EntryId): void {
    const { head, removed, elements, pages, queue, inputQueue } = commit;
    this.head = head;
    this.entry = entry;
    if (!extendsQueuesOnly(commit)) this.nodesEntry = entry;
    for (const element of removed) this.elements.remove(element);
    for (const element of elements) this.elements.put(element);
    for (const [id, page] of pages) this.pages.put(id, page);
    applyQueue(this.queue, queue);
    applyQueue(this.inputQueue, inputQueue);
    this.replaceUndo(commit);
  }

  private exists(address: Hash, low: IndexedElement | undefined): boolean {
    return (low?.nextValue.equals(address) ?? false) || this.elements.has(address) || this.queue.has(address);
  }

  private replaceUndo(commit: TreeCommit): void {
    const { first, oldestKept } = undoNumbers(commit);
    const isKept = ({ before }: UndoRecord) => before.changes.count >= oldestKept;
    const before = this.undo.filter((record) => record.before.changes.count < first);
    this.undo = [...before.filter(isKept), ...this.copyUndo(commit.undo.filter(isKept))];
  }

  private copyUndo(records: readonly UndoRecord[]): UndoRecord[] {
    return records.map((record) => copyUndoRecord(record, (hash) => this.undoMemory.copy(hash)));
  }
}

function applyQueue<Entry>(queue: PositionQueue<Entry>, { truncatedFrom, added, start }: QueueCommit<Entry>): void {
  if (truncatedFrom !== null) queue.removeFrom(truncatedFrom);
  for (const [position, entry] of added) queue.put(position, entry);
  queue.removeBefore(start);
}

function copyHashes(hashes: readonly Hash[]): Hash[] {
  const bytes = Buffer.concat(hashes);
  return hashes.map((_, at) => bytes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES) as Hash);
}
