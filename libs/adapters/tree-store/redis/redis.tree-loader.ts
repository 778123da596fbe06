import { randomUUID } from 'node:crypto';
import { type Pubkey, toBase58 } from '@fresnel/domain/primitives';
import { isAddressTree, pagesOnPath, queueStartOf, type TreeHead, type UndoRecord } from '@fresnel/domain/trees';
import { TreeMovedError } from '../tree-store.errors';
import { type JournaledTree, type TreeJournal } from '../tree-journal';
import { type BlockAtSlot, type EntryId, type TreeCommit, undoNumbers } from '../tree-store';
import { decodeUndo, encodeUndo } from '../undo.codec';
import { dataKeysOf, type TreeDataKeys, type TreeStoreKeys } from './keys';
import {
  DELETE_TREE,
  FINISH_LOAD,
  LOAD_ELEMENTS,
  LOAD_INPUT_QUEUE,
  LOAD_PAGES,
  LOAD_QUEUE,
  LOAD_UNDO,
} from './load.scripts';
import { lookAtTree, type SeenTree } from './redis.open-tree';
import { type ScriptRunner } from './script-runner';
import {
  ELEMENT_BYTES,
  encodeElement,
  encodeNullifiers,
  encodePages,
  encodeQueued,
  PAGE_RECORD_BYTES,
  sortableBytes,
} from '../tree-records';
import { encodeHead, kindOf } from './tree-codec';
import { APPLY_ENTRY } from './tree.scripts';

/** How a tree was made equal to the journal: it was equal, its last changes were copied, all of it, or it was deleted. */
export interface TreeLoad {
  tree: Pubkey;
  kind: 'equal' | 'changes' | 'whole' | 'deleted';
  /** Number of leaves of the tree. */
  leaves: number;
}

/** The numbers of entries that a load has sent, by key. */
interface LoadCounts {
  elements: number;
  pages: number;
  queue: number;
  undo: number;
  inputQueue: number;
}

/** With more changed elements than this, the whole tree is copied. */
const MAX_CHANGES = 20_000;
/** Far less than a script may take. */
const QUEUED_PER_CHUNK = 10_000;

/** Writes trees to Redis: single entries, and trees that are copied from the journal. Nothing is hashed. */
export class RedisTreeLoader {
  constructor(
    private readonly scripts: ScriptRunner,
    private readonly keys: TreeStoreKeys,
    private readonly journal: TreeJournal,
  ) {}

  /**
   * Makes a tree in Redis equal to the journal. Readers see the previous state of the tree until the last step.
   *
   * Redis is looked at first, then the journal is read in one snapshot, then only what was seen is replaced. So Redis never goes back,
   * however late a step is.
   *
   * @throws TreeMovedError if another writer has replaced the tree meanwhile, or Redis has lost a part of the load
   */
  async load(tree: Pubkey): Promise<TreeLoad> {
    const seen = await lookAtTree(this.scripts, this.keys, tree);
    return this.journal.readTree(tree, async (journaled) => {
      const kind = await (journaled ? this.replace(seen, journaled) : this.delete(tree, seen));
      return { tree, kind, leaves: journaled?.head.nextIndex ?? 0 };
    });
  }

  /**
   * Applies the changes of an entry to a tree.
   *
   * @param on the entry that the tree must be at; null: it must not exist
   * @throws TreeMovedError if it is at another one
   */
  async apply(
    changes: TreeCommit,
    on: EntryId | null,
    to: { entry: EntryId; block: BlockAtSlot | null; changesNodes: boolean },
  ): Promise<void> {
    const { tree } = changes.head.info;
    const keys = this.keys.ofTree(tree);
    const head = [on ?? '', to.entry, ...blockArguments(to.block), to.changesNodes ? '1' : ''];
    const reply = await this.scripts.run(
      APPLY_ENTRY,
      [keys.state, ...dataKeysOf(keys)],
      [...head, ...changesOf(changes)],
    );
    requireDone(reply, tree);
  }

  private async delete(tree: Pubkey, { entry }: SeenTree): Promise<TreeLoad['kind']> {
    if (entry === null) return 'equal';
    const keys = this.keys.ofTree(tree);
    requireDone(await this.scripts.run(DELETE_TREE, [keys.state, ...dataKeysOf(keys)], [entry]), tree);
    return 'deleted';
  }

  private async replace(seen: SeenTree, journaled: JournaledTree): Promise<TreeLoad['kind']> {
    const { entry, block } = journaled;
    if (seen.isComplete && seen.entry === entry) return 'equal';
    const changes = seen.isComplete ? await findChanges(seen, journaled) : null;
    if (changes) await this.apply(changes, seen.entry, { entry, block, changesNodes: true });
    else await this.loadWhole(seen, journaled);
    return changes ? 'changes' : 'whole';
  }

  private async loadWhole(seen: SeenTree, { head, entry, block, reads }: JournaledTree): Promise<void> {
    const { info } = head;
    const keys = this.keys.ofTree(info.tree);
    const load = this.keys.ofLoad(info.tree, randomUUID());
    const counts = { elements: 0, pages: 0, queue: 0, undo: 0, inputQueue: 0 };
    for await (const chunk of reads.elementChunks(info.tree)) {
      await this.scripts.run(LOAD_ELEMENTS, [load.elements], [chunk]);
      counts.elements += chunk.length / ELEMENT_BYTES;
    }
    for await (const chunk of reads.pageChunks(info)) {
      await this.scripts.run(LOAD_PAGES, [load.pages], [chunk]);
      counts.pages += chunk.length / PAGE_RECORD_BYTES;
    }
    await this.loadQueues(load, { head, reads }, counts);
    const undo = await reads.readUndo(info);
    counts.undo = undo.length;
    const records = undo.flatMap(({ number, record }) => [String(number), record]);
    if (undo.length > 0) await this.scripts.run(LOAD_UNDO, [load.undo], records);
    const state = [entry, ...blockArguments(block), encodeHead(head), String(info.height), kindOf(info)];
    const { elements, pages, queue, inputQueue } = counts;
    const reply = await this.scripts.run(
      FINISH_LOAD,
      [keys.state, ...dataKeysOf(keys), ...dataKeysOf(load)],
      [seen.entry ?? '', ...state, ...[elements, pages, queue, counts.undo, inputQueue].map(String)],
    );
    requireDone(reply, info.tree);
  }

  private async loadQueues(
    load: TreeDataKeys,
    { head: { info }, reads }: Pick<JournaledTree, 'head' | 'reads'>,
    counts: LoadCounts,
  ): Promise<void> {
    const queueKeys = isAddressTree(info) ? [load.queue, load.queuedAddresses] : [load.queue];
    for (const part of partsOf([...(await reads.readQueue(info, 0n))])) {
      await this.scripts.run(LOAD_QUEUE, queueKeys, [encodeQueued(new Map(part))]);
      counts.queue += part.length;
    }
    for (const part of partsOf([...(await reads.readNullifiers(info, 0n))])) {
      await this.scripts.run(LOAD_INPUT_QUEUE, [load.inputQueue], [encodeNullifiers(new Map(part))]);
      counts.inputQueue += part.length;
    }
  }
}

/**
 * The changes that lead from the stored tree to the journaled one, found by the undo records of the journal: each names the elements
 * that one block changed, and the last one of an entry names the entry.
 *
 * ```
 *  journal   … 7   8   9: e4   10   11: e5     records; the head comes after number 11
 *  Redis     e4            ▲
 *                          └── the elements of the records after this one are copied
 * ```
 *
 * @returns null if Redis is not at an entry of the records
 */
async function findChanges(seen: SeenTree, { head, reads }: JournaledTree): Promise<TreeCommit | null> {
  if (!seen.head) return null;
  const records = await reads.readUndo(head.info);
  const at = records.findIndex(({ entry }) => entry === seen.entry);
  if (at === -1) return null;
  const undo = records.slice(at + 1).map(({ record }) => decodeUndo(record));
  const isConnected = undo.length === head.changes.count - 1 - records[at].number;
  return isConnected ? readChanges(head, seen.head, undo, reads) : null;
}

async function readChanges(
  head: TreeHead,
  before: TreeHead,
  undo: readonly UndoRecord[],
  reads: JournaledTree['reads'],
): Promise<TreeCommit | null> {
  const { info } = head;
  const indexes = new Set(undo.flatMap(changedLeaves));
  if (indexes.size > MAX_CHANGES) return null;
  const pages = new Set([...indexes].flatMap((index) => pagesOnPath(index, info.height)));
  const queued = { added: await reads.readQueue(info, before.queueEnd), start: queueStartOf(head) };
  const nullifiers = { added: await reads.readNullifiers(info, before.inputQueueEnd), start: head.inputQueueStart };
  return {
    head,
    removed: [],
    elements: isAddressTree(info) ? await reads.readElements(info.tree, [...indexes]) : [],
    pages: await reads.readPages(info, [...pages]),
    queue: { truncatedFrom: null, ...queued },
    inputQueue: { truncatedFrom: null, ...nullifiers },
    undo,
  };
}

/** The leaf indexes that a block changed in a tree. */
function changedLeaves({ rewritten, appended, leaves }: UndoRecord): number[] {
  return [...[...rewritten, ...appended].map(({ index }) => index), ...leaves.map(({ leafIndex }) => leafIndex)];
}

/** The arguments of `APPLY_ENTRY` from the head on. */
function changesOf(commit: TreeCommit): (string | Buffer)[] {
  const { head, removed, elements, pages, queue, inputQueue } = commit;
  const { first, oldestKept } = undoNumbers(commit);
  const undo = commit.undo.slice(Math.max(oldestKept - first, 0));
  return [
    encodeHead(head),
    String(head.info.height),
    kindOf(head.info),
    Buffer.concat(removed.map(({ value }) => value)),
    Buffer.concat(elements.map(encodeElement)),
    encodePages(pages),
    queue.truncatedFrom === null ? '' : sortableBytes(queue.truncatedFrom),
    encodeQueued(queue.added),
    sortableBytes(queue.start),
    inputQueue.truncatedFrom === null ? '' : sortableBytes(inputQueue.truncatedFrom),
    encodeNullifiers(inputQueue.added),
    sortableBytes(inputQueue.start),
    String(Math.max(first, oldestKept)),
    String(oldestKept),
    ...undo.map(encodeUndo),
  ];
}

/** Slot and blockhash; '' for none. */
function blockArguments(block: BlockAtSlot | null): (string | Buffer)[] {
  return [block ? String(block.slot) : '', block?.blockhash ?? ''];
}

/** @throws TreeMovedError if a script returned 0 */
function requireDone(reply: unknown, tree: Pubkey): void {
  if (reply === 0)
    throw new TreeMovedError(`tree ${toBase58(tree)} in Redis is at another entry, or a part of it is lost`);
}

/** Parts of a queue, in its order. */
function* partsOf<Entry>(entries: readonly Entry[]): Iterable<Entry[]> {
  for (let from = 0; from < entries.length; from += QUEUED_PER_CHUNK)
    yield entries.slice(from, from + QUEUED_PER_CHUNK);
}
