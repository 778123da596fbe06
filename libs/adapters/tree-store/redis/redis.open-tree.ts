import { type Hash, type Pubkey, toHash } from '@fresnel/domain/primitives';
import {
  type IndexedElement,
  type PageId,
  type QueuedNullifier,
  type TreeHead,
  type UndoRecord,
} from '@fresnel/domain/trees';
import { TreeMovedError, TreeStoreDamagedError } from '../tree-store.errors';
import { type EntryId, type OpenTree } from '../tree-store';
import { decodeUndo } from '../undo.codec';
import { type TreeKeys, type TreeStoreKeys } from './keys';
import { bytesOf, listOf, type ScriptRunner } from './script-runner';
import { decodeElement, decodeNullifier, NUMBER_BYTES, sortableBytes } from '../tree-records';
import { decodeHead } from './tree-codec';
import { FIND_LOW_ELEMENTS, LOOK_AT_TREE, READ_AT } from './tree.scripts';

/** Redis answers others between two commands. */
const PAGES_PER_COMMAND = 2_000;

/** What Redis has of a tree. */
export interface SeenTree {
  /** The entry that changed the tree last; null for a tree that does not exist. */
  entry: EntryId | null;
  /** The entry that last changed more than the ends of its queues. */
  nodesEntry: EntryId | null;
  head: TreeHead | null;
  /** Whether all parts of the tree are stored. */
  isComplete: boolean;
}

/** Reads the state of a tree. */
export async function lookAtTree(scripts: ScriptRunner, keys: TreeStoreKeys, tree: Pubkey): Promise<SeenTree> {
  const { state, elements, pages } = keys.ofTree(tree);
  const [entry, nodesEntry, head, isComplete] = listOf(await scripts.run(LOOK_AT_TREE, [state, elements, pages], []));
  const bytes = bytesOf(head);
  return {
    entry: bytesOf(entry).toString() || null,
    nodesEntry: bytesOf(nodesEntry).toString() || null,
    head: bytes.length === 0 ? null : decodeHead(bytes),
    isComplete: isComplete === 1,
  };
}

/** A tree in Redis. Each command checks atomically that the tree is still at the entry that was seen. */
export class RedisOpenTree implements OpenTree {
  readonly entry: EntryId | null;
  readonly head: TreeHead | null;
  private readonly keys: TreeKeys;

  /** @param field `nodesEntry`: entries that change only the ends of the queues may follow */
  constructor(
    private readonly scripts: ScriptRunner,
    keys: TreeStoreKeys,
    tree: Pubkey,
    private readonly seen: SeenTree,
    private readonly field: 'entry' | 'nodesEntry' = 'entry',
  ) {
    this.keys = keys.ofTree(tree);
    this.entry = seen.entry;
    this.head = seen.head;
  }

  async findLowElements(values: readonly Hash[]): Promise<(IndexedElement | undefined)[]> {
    const { field, entry } = this.place;
    if (entry === null) return values.map(() => undefined);
    const { state, elements, pages } = this.keys;
    const lows = await this.scripts.run(
      FIND_LOW_ELEMENTS,
      [state, elements, pages],
      [field, entry, Buffer.concat(values)],
    );
    return readList(lows)
      .map(bytesOf)
      .map((member) => (member.length === 0 ? undefined : decodeElement(member)));
  }

  async readPages(ids: readonly PageId[]): Promise<Map<PageId, Buffer>> {
    const found = new Map<PageId, Buffer>();
    for (let from = 0; from < ids.length; from += PAGES_PER_COMMAND) {
      const part = ids.slice(from, from + PAGES_PER_COMMAND);
      const pages = await this.read('HMGET', this.keys.pages, ...part.map(sortableBytes));
      for (const [at, page] of pages.entries()) if (page !== null) found.set(part[at], bytesOf(page));
    }
    return found;
  }

  async readQueue(from: bigint, to: bigint, limit?: number): Promise<Map<bigint, Hash>> {
    const members = await this.readRange(this.keys.queue, from, to, limit);
    return new Map(members.map((member) => [member.readBigUInt64BE(), toHash(member.subarray(NUMBER_BYTES))]));
  }

  async readNullifiers(from: bigint, to: bigint, limit?: number): Promise<Map<bigint, QueuedNullifier>> {
    return new Map((await this.readRange(this.keys.inputQueue, from, to, limit)).map(decodeNullifier));
  }

  async readUndo(): Promise<UndoRecord[]> {
    return (await this.read('ZRANGE', this.keys.undo, '0', '-1')).map((record) => decodeUndo(bytesOf(record)));
  }

  private get place(): { field: string; entry: EntryId | null } {
    return { field: this.field, entry: this.seen[this.field] };
  }

  /** The members of a queue from a position inclusive to another one exclusive. @param limit -1: all of them */
  private async readRange(key: string, from: bigint, to: bigint, limit = -1): Promise<Buffer[]> {
    const min = Buffer.concat([Buffer.from('['), sortableBytes(from)]);
    const max = Buffer.concat([Buffer.from('('), sortableBytes(to)]);
    return (await this.read('ZRANGEBYLEX', key, min, max, 'LIMIT', '0', String(limit))).map(bytesOf);
  }

  /** Runs a command that returns a list; an empty list for a tree that does not exist. @throws TreeMovedError, TreeStoreDamagedError */
  private async read(command: string, key: string, ...args: (string | Buffer)[]): Promise<unknown[]> {
    const { field, entry } = this.place;
    if (entry === null) return [];
    const { state, elements, pages } = this.keys;
    const reply = await this.scripts.run(READ_AT, [state, elements, pages, key], [field, entry, command, ...args]);
    return readList(reply);
  }
}

/** The list that a script returned. @throws TreeMovedError if it returned 0, TreeStoreDamagedError if it returned 1 */
function readList(reply: unknown): unknown[] {
  if (reply === 0) throw new TreeMovedError('the tree has changed since it was opened');
  if (reply === 1) throw new TreeStoreDamagedError('Redis has lost a part of a tree');
  return listOf(reply);
}
