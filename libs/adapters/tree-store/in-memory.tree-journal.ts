import { FencedError, partitionOfTree } from '@fresnel/contracts/messages';
import { type Hash, keyOf, type Pubkey } from '@fresnel/domain/primitives';
import { type IndexedElement, type PageId, type QueuedNullifier, type TreeHead } from '@fresnel/domain/trees';
import { type JournalEntry } from './journal-entry';
import { type JournaledUndo } from './postgres.tree-reads';
import { encodeElement, encodePages } from './tree-records';
import {
  type JournaledPartition,
  type JournaledTree,
  NEW_PARTITION,
  partitionAfter,
  type TreeContents,
  type TreeJournal,
} from './tree-journal';
import { type BlockAtSlot, type EntryId, type QueueCommit, type TreeEntry, undoNumbers } from './tree-store';
import { encodeUndo } from './undo.codec';

/** Records of one chunk, so that tests have several. */
const RECORDS_PER_CHUNK = 24;

/** A tree after an entry. Never changed once it is stored. */
interface StoredContents {
  head: TreeHead;
  entry: EntryId;
  block: BlockAtSlot | null;
  elements: ReadonlyMap<number, IndexedElement>;
  pages: ReadonlyMap<PageId, Buffer>;
  queue: ReadonlyMap<bigint, Hash>;
  inputQueue: ReadonlyMap<bigint, QueuedNullifier>;
  undo: readonly JournaledUndo[];
}

/** Everything after an entry. */
interface JournalState {
  partitions: ReadonlyMap<number, JournaledPartition>;
  trees: ReadonlyMap<string, StoredContents>;
}

/** The twin of `PostgresTreeJournal` for tests, of one log. It can lose its newest entries. */
export class InMemoryTreeJournal implements TreeJournal {
  private states: JournalState[] = [{ partitions: new Map(), trees: new Map() }];

  /** @param keptStates how many states can be returned to, with the newest one */
  constructor(private readonly keptStates = 1) {}

  /** The number of entries that can be lost. */
  get losable(): number {
    return this.states.length - 1;
  }

  open(): Promise<void> {
    return Promise.resolve();
  }

  persist(entry: JournalEntry): Promise<void> {
    const { partitions, trees } = this.newest;
    const before = partitions.get(entry.partition) ?? NEW_PARTITION;
    const areNewest = entry.trees.every(({ head, on }) => (trees.get(keyOf(head.info.tree))?.entry ?? null) === on);
    if (!areNewest || before.entry !== entry.on || (before.offset ?? 0n) !== entry.from) {
      return Promise.reject(new FencedError(`the journal has other entries than ${entry.id} names`));
    }
    const changed = new Map(trees);
    for (const tree of entry.trees) {
      const key = keyOf(tree.head.info.tree);
      changed.set(key, applied(trees.get(key), tree, entry));
    }
    const moved = new Map(partitions).set(entry.partition, partitionAfter(before, entry));
    this.states = [...this.states, { partitions: moved, trees: changed }].slice(-this.keptStates);
    return Promise.resolve();
  }

  /** Loses the newest entries, like a failover to a replica that lacks them. */
  lose(entries: number): void {
    this.states = this.states.slice(0, this.states.length - entries);
  }

  readPartition(partition: number, partitionCount: number): Promise<JournaledPartition> {
    const { partitions, trees } = this.newest;
    const all = [...trees.values()].map(({ head, entry }) => ({ tree: head.info.tree, entry }));
    const own = all.filter(({ tree }) => partitionOfTree(tree, partitionCount) === partition);
    return Promise.resolve({ ...(partitions.get(partition) ?? NEW_PARTITION), trees: own });
  }

  async readAll<Result>(
    partition: number,
    partitionCount: number,
    read: (partition: JournaledPartition, trees: readonly JournaledTree[]) => Promise<Result>,
  ): Promise<Result> {
    const trees = [...this.newest.trees.values()].map(journaled);
    return read(await this.readPartition(partition, partitionCount), trees);
  }

  readTree<Result>(tree: Pubkey, read: (tree: JournaledTree | null) => Promise<Result>): Promise<Result> {
    const found = this.newest.trees.get(keyOf(tree));
    return read(found ? journaled(found) : null);
  }

  private get newest(): JournalState {
    return this.states[this.states.length - 1];
  }
}

function journaled(contents: StoredContents): JournaledTree {
  const { head, entry, block } = contents;
  return { head, entry, block, reads: readsOf(contents) };
}

function applied(before: StoredContents | undefined, tree: TreeEntry, { id, block }: JournalEntry): StoredContents {
  const elements = new Map(before?.elements);
  for (const { index } of tree.removed) elements.delete(index);
  for (const element of tree.elements) elements.set(element.index, element);
  return {
    ...{ head: tree.head, entry: id, block, elements },
    pages: new Map([...(before?.pages ?? []), ...tree.pages]),
    queue: queueAfter(before?.queue, tree.queue),
    inputQueue: queueAfter(before?.inputQueue, tree.inputQueue),
    undo: undoAfter(before?.undo ?? [], tree, id),
  };
}

function queueAfter<Entry>(
  before: ReadonlyMap<bigint, Entry> | undefined,
  { truncatedFrom, added, start }: QueueCommit<Entry>,
): ReadonlyMap<bigint, Entry> {
  const kept = [...(before ?? [])].filter(([position]) => truncatedFrom === null || position < truncatedFrom);
  return new Map([...added, ...kept].filter(([position]) => position >= start).sort(([a], [b]) => Number(a - b)));
}

/** The last record names the entry. */
function undoAfter(before: readonly JournaledUndo[], tree: TreeEntry, entry: EntryId): JournaledUndo[] {
  const { first, oldestKept } = undoNumbers(tree);
  const added = tree.undo.map((record, at) => {
    const isLast = at === tree.undo.length - 1;
    return { number: record.before.changes.count, record: encodeUndo(record), entry: isLast ? entry : null };
  });
  return [...before.filter(({ number }) => number < first), ...added].filter(({ number }) => number >= oldestKept);
}

function readsOf({ elements, pages, queue, inputQueue, undo }: StoredContents): TreeContents {
  const from = <Entry>(entries: ReadonlyMap<bigint, Entry>, first: bigint) =>
    Promise.resolve(new Map([...entries].filter(([position]) => position >= first)));
  return {
    elementChunks: () => chunksOf([...elements.values()].map(encodeElement)),
    pageChunks: () => chunksOf([...pages].map((page) => encodePages(new Map([page])))),
    readQueue: (_, first) => from(queue, first),
    readNullifiers: (_, first) => from(inputQueue, first),
    readUndo: () => Promise.resolve([...undo]),
    readElements: (_, indexes) => Promise.resolve(indexes.flatMap((index) => elements.get(index) ?? [])),
    readPages: (_, ids) => Promise.resolve(new Map(ids.flatMap((id) => pageOf(pages, id)))),
  };
}

function pageOf(pages: ReadonlyMap<PageId, Buffer>, id: PageId): [PageId, Buffer][] {
  const page = pages.get(id);
  return page ? [[id, page]] : [];
}

async function* chunksOf(records: readonly Buffer[]): AsyncGenerator<Buffer, void> {
  for (let from = 0; from < records.length; from += RECORDS_PER_CHUNK) {
    yield await Promise.resolve(Buffer.concat(records.slice(from, from + RECORDS_PER_CHUNK)));
  }
}
