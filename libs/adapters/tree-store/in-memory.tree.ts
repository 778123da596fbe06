import { type Hash, type Hasher } from '@fresnel/domain/primitives';
import {
  type IndexedElement,
  isAddressTree,
  NodePages,
  type PageId,
  type QueuedNullifier,
  type TreeHead,
  type UndoRecord,
} from '@fresnel/domain/trees';
import { ElementList } from './element-list';
import { PageMap } from './page-map';
import { pathsOfElements, readLeaves } from './read-paths';
import { AddressQueue, createNullifierQueue, type PositionQueue } from './position-queue';
import { SortedElements } from './sorted-elements';
import { type JournaledTree } from './tree-journal';
import { ELEMENT_BYTES, encodeElement, indexOfElement, NUMBER_BYTES, PAGE_RECORD_BYTES } from './tree-records';
import {
  type EntryId,
  extendsQueuesOnly,
  type QueueCommit,
  type TreeCommit,
  type TreeLeaves,
  type TreeProofs,
  undoNumbers,
} from './tree-store';
import { decodeUndo, encodeUndo } from './undo.codec';

/** A tree in memory. Everything that its methods return stays as it is when the tree changes. */
export class InMemoryTree {
  /** The last entry that changed more than the ends of the queues. */
  nodesEntry: EntryId;
  readonly elements = new SortedElements();
  readonly queue = new AddressQueue();
  readonly inputQueue: PositionQueue<QueuedNullifier> = createNullifierQueue();
  private readonly pages = new PageMap();
  /** Undo records by number, ascending, encoded: the hashes of a record are views of whole messages. */
  private undo: readonly (readonly [number: number, record: Buffer])[] = [];

  /** @param entry that changed the tree last */
  constructor(
    public head: TreeHead,
    public entry: EntryId,
  ) {
    this.nodesEntry = entry;
  }

  /** Copies a tree of a journal. */
  static async load({ head, entry, reads }: JournaledTree): Promise<InMemoryTree> {
    const { info } = head;
    const tree = new InMemoryTree(head, entry);
    const elements = new ElementList(isAddressTree(info) ? head.nextIndex : 0);
    for await (const chunk of reads.elementChunks(info.tree)) {
      for (const record of recordsOf(chunk, ELEMENT_BYTES)) {
        if (indexOfElement(record) < elements.size) elements.putRecord(record);
        else tree.elements.put(record);
      }
    }
    for (const record of elements.inOrder()) tree.elements.put(record);
    for await (const chunk of reads.pageChunks(info)) {
      const records = [...recordsOf(chunk, PAGE_RECORD_BYTES)];
      tree.pages.put(
        records.map((record) => [Number(record.readBigUInt64BE()), record.subarray(NUMBER_BYTES)] as const),
      );
    }
    for (const [position, hash] of await reads.readQueue(info, 0n)) tree.queue.put(position, hash);
    for (const [position, entry] of await reads.readNullifiers(info, 0n)) tree.inputQueue.put(position, entry);
    tree.undo = (await reads.readUndo(info)).map(({ number, record }) => [number, record]);
    return tree;
  }

  prove(addresses: readonly Hash[], hasher: Hasher): Pick<TreeProofs, 'items' | 'paths'> {
    const lows = addresses.map((address) => this.elements.findLow(address));
    return {
      items: lows.map((low, at) => ({ low, exists: this.exists(addresses[at], low) })),
      paths: pathsOfElements(this.nodes(hasher), lows, this.head),
    };
  }

  readLeaves(leafIndices: readonly number[], hasher: Hasher): Pick<TreeLeaves, 'leaves' | 'paths'> {
    return readLeaves(this.nodes(hasher), leafIndices, this.head);
  }

  readPages(ids: readonly PageId[]): Map<PageId, Buffer> {
    return new Map(
      ids.flatMap((id) => {
        const page = this.pages.get(id);
        return page ? [[id, page]] : [];
      }),
    );
  }

  readUndo(): UndoRecord[] {
    return this.undo.map(([, record]) => decodeUndo(record));
  }

  apply(commit: TreeCommit, entry: EntryId): void {
    const { head, removed, elements, pages, queue, inputQueue } = commit;
    this.head = head;
    this.entry = entry;
    if (!extendsQueuesOnly(commit)) this.nodesEntry = entry;
    for (const { value } of removed) this.elements.remove(value);
    for (const element of elements) this.elements.put(encodeElement(element));
    this.pages.put(pages);
    applyQueue(this.queue, queue);
    applyQueue(this.inputQueue, inputQueue);
    const { first, oldestKept } = undoNumbers(commit);
    const added = commit.undo.map((record, at) => [first + at, encodeUndo(record)] as const);
    const before = this.undo.filter(([number]) => number < first);
    this.undo = [...before, ...added].filter(([number]) => number >= oldestKept);
  }

  private nodes(hasher: Hasher): NodePages {
    return new NodePages((id) => this.pages.get(id), hasher);
  }

  private exists(address: Hash, low: IndexedElement | undefined): boolean {
    return (low?.nextValue.equals(address) ?? false) || this.elements.has(address) || this.queue.has(address);
  }
}

function applyQueue<Entry>(queue: PositionQueue<Entry>, { truncatedFrom, added, start }: QueueCommit<Entry>): void {
  if (truncatedFrom !== null) queue.removeFrom(truncatedFrom);
  for (const [position, entry] of added) queue.put(position, entry);
  queue.removeBefore(start);
}

function* recordsOf(chunk: Buffer, size: number): Iterable<Buffer> {
  for (let at = 0; at < chunk.length; at += size) yield chunk.subarray(at, at + size);
}
