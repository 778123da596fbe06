import { FencedError } from '@fresnel/contracts/messages';
import { type Pubkey, type Slot, toBase58 } from '@fresnel/domain/primitives';
import {
  isAddressTree,
  isSameState,
  pagesOnPath,
  queueStartOf,
  stateOf,
  type TreeHead,
  type UndoRecord,
} from '@fresnel/domain/trees';
import { type PostgresTreeReads } from '../postgres.tree-reads';
import { type TreeCommit } from '../tree-store';
import { decodeUndo } from '../undo.codec';
import { dataKeysOf, type TreeStoreKeys } from './keys';
import {
  DELETE_TREE,
  FINISH_LOAD,
  LOAD_ELEMENTS,
  LOAD_INPUT_QUEUE,
  LOAD_PAGES,
  LOAD_QUEUE,
  LOAD_UNDO,
  START_LOAD,
} from './load.scripts';
import { changesOf, paddedOrNone } from './redis.tree-commits';
import { bytesOf, listOf, type Script, type ScriptRunner } from './script-runner';
import {
  decodeHead,
  encodeHead,
  encodeNullifiers,
  encodeQueued,
  kindOf,
  padded,
  parsePadded,
  parsePaddedSlot,
} from './tree-codec';
import { WRITE_TREE } from './tree.scripts';

/** How a tree was made equal to the journal: it was equal, its last changes were copied, or all of it. */
export interface TreeLoad {
  tree: Pubkey;
  kind: 'equal' | 'changes' | 'whole';
  /** Number of leaves of the tree. */
  leaves: number;
}

/** What a tree is loaded for. */
export interface LoadTarget {
  /** Epoch of the claim in Redis. */
  epoch: bigint;
  /** Offset and slot of the partition in the journal. */
  offset: bigint | null;
  slot: Slot | null;
  /** Whether all parts of the tree are stored in Redis. */
  isComplete: boolean;
}

/** A tree as it is stored in Redis. */
interface StoredState {
  head: TreeHead;
  offset: bigint | null;
  slot: Slot | null;
  /** The newest undo record, encoded; null if there is none. */
  lastUndo: Buffer | null;
}

/** With more changed elements than this, the whole tree is copied. */
const MAX_CHANGES = 20_000;
/** Far less than a script may take. */
const QUEUED_PER_CHUNK = 10_000;

/** Copies trees from the journal to Redis. Nothing is hashed. */
export class RedisTreeLoader {
  constructor(
    private readonly scripts: ScriptRunner,
    private readonly keys: TreeStoreKeys,
    private readonly journal: PostgresTreeReads,
  ) {}

  /**
   * Makes a tree in Redis equal to the journal. Readers see the previous state of the tree until the last step.
   *
   * @param head the head of the tree in the journal
   * @throws FencedError when another writer has claimed the partition
   */
  async load(head: TreeHead, target: LoadTarget): Promise<TreeLoad> {
    const { tree } = head.info;
    const stored = target.isComplete ? await this.readState(tree) : null;
    const changes = stored && (await this.findChanges(head, stored, target));
    if (!changes) await this.loadWhole(head, target);
    else await this.write(changes, target);
    const isEqual = changes !== null && changes.elements.length === 0 && changes.undo.length === 0;
    return { tree, kind: !changes ? 'whole' : isEqual ? 'equal' : 'changes', leaves: head.nextIndex };
  }

  /** Deletes a tree that the journal does not contain. */
  async deleteTree(tree: Pubkey, epoch: bigint): Promise<void> {
    const keys = this.keys.ofTree(tree);
    const names = [keys.state, ...dataKeysOf(keys), ...dataKeysOf(keys.loading)];
    await this.run(tree, DELETE_TREE, names, [padded(epoch)]);
  }

  private async readState(tree: Pubkey): Promise<StoredState | null> {
    const { state, undo } = this.keys.ofTree(tree);
    const [head, offset, slot] = listOf(await this.scripts.command('HMGET', state, 'head', 'offset', 'slot'));
    const [lastUndo] = listOf(await this.scripts.command('ZRANGE', undo, '-1', '-1'));
    if (head === null) return null;
    return {
      head: decodeHead(bytesOf(head)),
      offset: offset === null ? null : parsePadded(bytesOf(offset)),
      slot: slot === null ? null : parsePaddedSlot(bytesOf(slot)),
      lastUndo: lastUndo === undefined ? null : bytesOf(lastUndo),
    };
  }

  /**
   * The changes that lead from the stored tree to the journaled one, found by the undo records of the journal: each names
   * the elements that one block changed.
   *
   * ```
   *  journal   … 7   8   9   10   11       records; the head comes after number 11
   *  Redis     … 7   8   9                 the newest record is equal: the same history up to here
   *                          ▲▲▲▲▲▲▲▲▲▲    the elements of these records are copied
   * ```
   *
   * @returns null if the stored tree is not an earlier state of the journaled one, or its undo records are too old
   */
  private async findChanges(
    head: TreeHead,
    stored: StoredState,
    { offset, slot }: LoadTarget,
  ): Promise<TreeCommit | null> {
    if (offset === null || stored.offset === null || stored.offset > offset) return null;
    // Offsets cannot be compared after a reset of positions, slots can.
    if ((stored.slot ?? -1) > (slot ?? -1)) return null;
    const { count } = stored.head.changes;
    const records = await this.journal.readUndo(head.info);
    const last = records.get(count - 1);
    if (stored.lastUndo ? !last?.equals(stored.lastUndo) : last) return null;
    const undo: UndoRecord[] = [];
    for (let number = count; number < head.changes.count; number++) {
      const record = records.get(number);
      if (!record) return null;
      undo.push(decodeUndo(record));
    }
    const next = undo.length > 0 ? undo[0].before : stateOf(head, true);
    if (count > head.changes.count || !isSameState(stateOf(stored.head, true), next)) return null;
    return this.readChanges(head, stored.head, undo);
  }

  private async readChanges(head: TreeHead, before: TreeHead, undo: readonly UndoRecord[]): Promise<TreeCommit | null> {
    const { info } = head;
    const indexes = new Set(undo.flatMap(changedLeaves));
    if (indexes.size > MAX_CHANGES) return null;
    const pages = new Set([...indexes].flatMap((index) => pagesOnPath(index, info.height)));
    return {
      head,
      removed: [],
      elements: isAddressTree(info) ? await this.journal.readElements(info.tree, [...indexes]) : [],
      pages: await this.journal.readPages(info, [...pages]),
      queue: {
        truncatedFrom: null,
        added: await this.journal.readQueue(info, before.queueEnd),
        start: queueStartOf(head),
      },
      inputQueue: {
        truncatedFrom: null,
        added: await this.journal.readNullifiers(info, before.inputQueueEnd),
        start: head.inputQueueStart,
      },
      undo,
    };
  }

  private async write(changes: TreeCommit, { epoch, offset, slot }: LoadTarget): Promise<void> {
    const { tree } = changes.head.info;
    const keys = this.keys.ofTree(tree);
    const to = offset === null ? '' : padded(offset);
    // Like a revert: the slot may be lower, and replicas must not be mistaken for up to date.
    const hasRevert = '1';
    const args = [padded(epoch), '', to, paddedOrNone(slot), hasRevert, ...changesOf(changes)];
    await this.run(tree, WRITE_TREE, [keys.state, ...dataKeysOf(keys)], args);
  }

  private async loadWhole(head: TreeHead, { epoch, offset, slot }: LoadTarget): Promise<void> {
    const { tree, height } = head.info;
    const keys = this.keys.ofTree(tree);
    const { state, loading } = keys;
    const fence = padded(epoch);
    await this.run(tree, START_LOAD, [state, ...dataKeysOf(loading)], [fence]);
    for await (const chunk of this.journal.elementChunks(tree)) {
      await this.run(tree, LOAD_ELEMENTS, [state, loading.elements], [fence, chunk]);
    }
    for await (const chunk of this.journal.pageChunks(head.info)) {
      await this.run(tree, LOAD_PAGES, [state, loading.pages], [fence, chunk]);
    }
    await this.loadQueues(head, fence);
    const undo = [...(await this.journal.readUndo(head.info))].flatMap(([number, record]) => [String(number), record]);
    await this.run(tree, LOAD_UNDO, [state, loading.undo], [fence, ...undo]);
    await this.run(
      tree,
      FINISH_LOAD,
      [state, ...dataKeysOf(keys), ...dataKeysOf(loading)],
      [
        fence,
        offset === null ? '' : padded(offset),
        paddedOrNone(slot),
        encodeHead(head),
        String(height),
        `${fence}:loaded`,
        kindOf(head.info),
      ],
    );
  }

  private async loadQueues({ info }: TreeHead, fence: string): Promise<void> {
    const { tree } = info;
    const { state, loading } = this.keys.ofTree(tree);
    const queueKeys = isAddressTree(info) ? [loading.queue, loading.queuedAddresses] : [loading.queue];
    for (const part of partsOf([...(await this.journal.readQueue(info, 0n))])) {
      await this.run(tree, LOAD_QUEUE, [state, ...queueKeys], [fence, encodeQueued(new Map(part))]);
    }
    for (const part of partsOf([...(await this.journal.readNullifiers(info, 0n))])) {
      await this.run(tree, LOAD_INPUT_QUEUE, [state, loading.inputQueue], [fence, encodeNullifiers(new Map(part))]);
    }
  }

  private async run(
    tree: Pubkey,
    script: Script,
    keys: readonly string[],
    args: readonly (string | Buffer)[],
  ): Promise<void> {
    const reply = await this.scripts.run(script, keys, args);
    if (reply === 0) throw new FencedError(`another writer has claimed the partition of tree ${toBase58(tree)}`);
  }
}

/** The leaf indexes that a block changed in a tree. */
function changedLeaves({ rewritten, appended, leaves }: UndoRecord): number[] {
  return [...[...rewritten, ...appended].map(({ index }) => index), ...leaves.map(({ leafIndex }) => leafIndex)];
}

/** Parts of a queue, in its order. */
function* partsOf<Entry>(entries: readonly Entry[]): Iterable<Entry[]> {
  for (let from = 0; from < entries.length; from += QUEUED_PER_CHUNK)
    yield entries.slice(from, from + QUEUED_PER_CHUNK);
}
