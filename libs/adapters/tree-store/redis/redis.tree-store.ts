import { type ClaimedPosition } from '@fresnel/contracts/messages';
import { type Hash, type Hasher, type Pubkey, type Slot, toHash, toPubkey, toSlot } from '@fresnel/domain/primitives';
import {
  type TreeHead,
  type IndexedElement,
  NodePages,
  type PageId,
  type QueuedNullifier,
  type UndoRecord,
} from '@fresnel/domain/trees';
import {
  type QueuedElements,
  type QueuedElementsRequest,
  type RecentBlock,
  type TreeAtSlot,
  type TreeLeaves,
  type TreeProofs,
  type TreeStore,
  type TreeStoreCommit,
  type TreeVersion,
  type WriterPosition,
} from '../tree-store';
import { readQueuedElements } from '../queued-elements';
import { pathsOfElements } from '../paths-of-elements';
import { decodeBlocks, decodeUndo } from '../undo.codec';
import { TreeStoreDamagedError } from './errors';
import { NO_BUS, type TreeKeyspace, TreeStoreKeys } from './keys';
import { JournaledTreeCommits, type RedisTreeJournal } from './journaled.tree-commits';
import { RedisTreeCommits, type TreeCommits } from './redis.tree-commits';
import { RedisTreeLoader } from './redis.tree-loader';
import { bytesOf, listOf, type RedisCommands, ScriptRunner } from './script-runner';
import {
  decodeElement,
  decodeHead,
  decodeNullifier,
  NUMBER_BYTES,
  parsePadded,
  parsePaddedSlot,
  sortableBytes,
} from './tree-codec';
import { FIND_LOW_ELEMENTS, READ_LEAVES, READ_PROOFS } from './tree.scripts';

export type VersionedTreeProofs = TreeProofs & TreeVersion;
export type VersionedTreeLeaves = TreeLeaves & TreeVersion;
export type VersionedTreeHead = TreeAtSlot & TreeVersion;
export type VersionedQueuedElements = QueuedElements & TreeVersion;

/**
 * Trees in Redis. Many processes read; each partition has one writer.
 *
 * Each read of a tree and each change of a tree is atomic. A commit changes one tree after the other and moves the
 * position last. An interrupted commit is retried, and skips the trees that it has already changed. Each tree has its
 * own slot, which is read together with its data.
 *
 * Redis may lose all data or a part of them. Then reads of lost trees fail, and commits are fenced. The next claim of the
 * partition loads its trees from the journal. Without a journal it returns no offset, so that the trees are rebuilt from
 * the start of the log.
 */
export class RedisTreeStore implements TreeStore {
  private readonly scripts: ScriptRunner;
  private readonly commits: TreeCommits;
  private readonly keys: TreeStoreKeys;

  /**
   * @param redis a connection to a server or a cluster; the caller opens and closes it
   * @param keyspace selects the keys of this deployment
   * @param journal stores every commit before Redis does. Null: lost trees are rebuilt from the log
   */
  constructor(
    redis: RedisCommands,
    private readonly hasher: Hasher,
    keyspace: TreeKeyspace = {},
    journal: RedisTreeJournal | null = null,
  ) {
    this.scripts = new ScriptRunner(redis);
    this.keys = new TreeStoreKeys(keyspace);
    const commits = new RedisTreeCommits(this.scripts, this.keys);
    this.commits = journal
      ? new JournaledTreeCommits(commits, new RedisTreeLoader(this.scripts, this.keys, journal.trees), journal)
      : commits;
  }

  /** The lowest slot of all partitions. */
  async findSlot(): Promise<Slot | null> {
    const slots = listOf(await this.scripts.command('HVALS', this.keys.ofPartition(NO_BUS).slots)).map((slot) =>
      parsePaddedSlot(bytesOf(slot)),
    );
    if (slots.length === 0 || !slots.every((slot) => slot !== null)) return null;
    return toSlot(Math.min(...slots));
  }

  /** The last step of a load sets the recent blocks of a partition. */
  async isEmpty(): Promise<boolean> {
    const partitions = await this.listPartitions();
    const empty = partitions.map(async (partition) => {
      const { position, trees } = this.keys.ofPartition(partition);
      const isLoaded = (await this.scripts.command('HEXISTS', position, 'blocks')) === 1;
      return isLoaded && (await this.scripts.command('HLEN', trees)) === 0;
    });
    return partitions.length > 0 && (await Promise.all(empty)).every(Boolean);
  }

  async findTreeSlot(tree: Pubkey): Promise<Slot | null> {
    const slot = await this.scripts.command('HGET', this.keys.ofTree(tree).state, 'slot');
    return slot === null ? null : parsePaddedSlot(bytesOf(slot));
  }

  /** Null for an unknown tree or one without a slot. */
  async findVersion(tree: Pubkey): Promise<TreeVersion | null> {
    const { state } = this.keys.ofTree(tree);
    const [slot, historyId] = listOf(await this.scripts.command('HMGET', state, 'slot', 'historyId'));
    const parsed = slot === null ? null : parsePaddedSlot(bytesOf(slot));
    return parsed === null
      ? null
      : { slot: parsed, historyId: historyId === null ? '' : bytesOf(historyId).toString() };
  }

  async findPosition(partition: number): Promise<bigint | null> {
    const offset = await this.scripts.command('HGET', this.keys.ofPartition(partition).position, 'offset');
    return offset === null ? null : parsePadded(bytesOf(offset));
  }

  async readBlocks(partition: number): Promise<RecentBlock[]> {
    const blocks = await this.scripts.command('HGET', this.keys.ofPartition(partition).position, 'blocks');
    return blocks === null ? [] : decodeBlocks(bytesOf(blocks));
  }

  async listHeads(): Promise<TreeHead[]> {
    const partitions = await this.listPartitions();
    const trees = await Promise.all(
      partitions.map((partition) => this.scripts.command('HKEYS', this.keys.ofPartition(partition).trees)),
    );
    const heads = await Promise.all(trees.flatMap(listOf).map((tree) => this.findHead(toPubkey(bytesOf(tree)))));
    return heads.filter((head) => head !== null);
  }

  async findHead(tree: Pubkey): Promise<TreeHead | null> {
    const head = await this.scripts.command('HGET', this.keys.ofTree(tree).state, 'head');
    return head === null ? null : decodeHead(bytesOf(head));
  }

  async findLowElements(tree: Pubkey, values: readonly Hash[]): Promise<(IndexedElement | undefined)[]> {
    const lows = await this.scripts.run(FIND_LOW_ELEMENTS, [this.keys.ofTree(tree).elements], [Buffer.concat(values)]);
    return listOf(lows).map(elementOf);
  }

  async readPages(tree: Pubkey, ids: readonly PageId[]): Promise<Map<PageId, Buffer>> {
    if (ids.length === 0) return new Map();
    const pages = listOf(await this.scripts.command('HMGET', this.keys.ofTree(tree).pages, ...ids.map(sortableBytes)));
    return new Map(ids.flatMap((id, at) => (pages[at] === null ? [] : [[id, bytesOf(pages[at])]])));
  }

  async readQueue(tree: Pubkey, from: bigint, to: bigint, limit?: number): Promise<Map<bigint, Hash>> {
    const members = await this.readRange(this.keys.ofTree(tree).queue, from, to, limit);
    return new Map(members.map((member) => [member.readBigUInt64BE(), toHash(member.subarray(NUMBER_BYTES))]));
  }

  async readNullifiers(tree: Pubkey, from: bigint, to: bigint, limit?: number): Promise<Map<bigint, QueuedNullifier>> {
    return new Map((await this.readRange(this.keys.ofTree(tree).inputQueue, from, to, limit)).map(decodeNullifier));
  }

  async readUndo(tree: Pubkey): Promise<UndoRecord[]> {
    const records = listOf(await this.scripts.command('ZRANGE', this.keys.ofTree(tree).undo, '0', '-1'));
    return records.map((record) => decodeUndo(bytesOf(record)));
  }

  /**
   * Reads all proofs in one script, so that they are from one state and need no retries while a writer commits.
   *
   * @throws TreeStoreDamagedError
   */
  async readProofs(tree: Pubkey, addresses: readonly Hash[]): Promise<VersionedTreeProofs | null> {
    const { state, elements, pages, queuedAddresses } = this.keys.ofTree(tree);
    const reply = await this.scripts.run(
      READ_PROOFS,
      [state, elements, pages, queuedAddresses],
      [Buffer.concat(addresses)],
    );
    if (reply === null) return null;
    if (reply === 0) throw new TreeStoreDamagedError('Redis has lost a part of an address tree');
    return this.toProofs(listOf(reply), addresses);
  }

  async readHead(tree: Pubkey): Promise<VersionedTreeHead | null> {
    const { state } = this.keys.ofTree(tree);
    const [head, slot, historyId] = listOf(await this.scripts.command('HMGET', state, 'head', 'slot', 'historyId'));
    const parsed = slot === null ? null : parsePaddedSlot(bytesOf(slot));
    if (head === null || parsed === null) return null;
    return {
      head: decodeHead(bytesOf(head)),
      slot: parsed,
      historyId: historyId === null ? '' : bytesOf(historyId).toString(),
    };
  }

  /**
   * Like `readProofs`, of leaves of a state tree.
   *
   * @throws TreeStoreDamagedError
   */
  async readLeaves(tree: Pubkey, leafIndices: readonly number[]): Promise<VersionedTreeLeaves | null> {
    const { state, elements, pages } = this.keys.ofTree(tree);
    const requested = Buffer.concat(leafIndices.map(sortableBytes));
    const reply = await this.scripts.run(READ_LEAVES, [state, elements, pages], [requested]);
    if (reply === null) return null;
    if (reply === 0) throw new TreeStoreDamagedError('Redis has lost a part of a state tree');
    const [head, slot, historyId, ids, found] = listOf(reply);
    const nodes = new NodePages(pageReader(bytesOf(ids), listOf(found)), this.hasher);
    const decoded = decodeHead(bytesOf(head));
    return {
      head: decoded,
      slot: toSlot(Number(parsePadded(bytesOf(slot)))),
      historyId: bytesOf(historyId).toString(),
      items: leafIndices.map((index) => {
        return { hash: nodes.node({ level: 0, index }), siblings: nodes.siblings(index, decoded.info.height) };
      }),
    };
  }

  /**
   * Reads in many short commands, so that Redis answers others in between, and compares the states before and after them.
   *
   * @throws TreeStoreDamagedError, TreeMovedError
   */
  readQueuedElements(tree: Pubkey, request: QueuedElementsRequest): Promise<VersionedQueuedElements | null> {
    return readQueuedElements(this, tree, request, this.hasher);
  }

  /** The members of a queue from a position inclusive to another one exclusive. @param limit -1: all of them */
  private async readRange(key: string, from: bigint, to: bigint, limit = -1): Promise<Buffer[]> {
    const min = Buffer.concat([Buffer.from('['), sortableBytes(from)]);
    const max = Buffer.concat([Buffer.from('('), sortableBytes(to)]);
    return listOf(await this.scripts.command('ZRANGEBYLEX', key, min, max, 'LIMIT', '0', String(limit))).map(bytesOf);
  }

  private toProofs(reply: unknown[], addresses: readonly Hash[]): VersionedTreeProofs {
    const head = decodeHead(bytesOf(reply[0]));
    const lows = listOf(reply[3]).map(elementOf);
    const exists = bytesOf(reply[4]).toString();
    const pages = new NodePages(pageReader(bytesOf(reply[5]), listOf(reply[6])), this.hasher);
    return {
      head,
      paths: pathsOfElements(pages, lows, head),
      slot: toSlot(Number(parsePadded(bytesOf(reply[1])))),
      historyId: bytesOf(reply[2]).toString(),
      items: addresses.map((address, at) => {
        const low = lows[at];
        return { low, exists: exists[at] === '1' || (low?.nextValue.equals(address) ?? false) };
      }),
    };
  }

  /** The partitions of the topic after the first claim; also `NO_BUS`. */
  private async listPartitions(): Promise<string[]> {
    const names = listOf(await this.scripts.command('HKEYS', this.keys.ofPartition(NO_BUS).slots));
    return names.map((name) => bytesOf(name).toString());
  }

  claimPosition(partition: number, partitionCount: number): Promise<ClaimedPosition> {
    return this.commits.claimPosition(partition, partitionCount);
  }

  checkPosition(at: WriterPosition): Promise<void> {
    return this.commits.checkPosition(at);
  }

  /**
   * Changes one tree after the other, each atomically, and moves the position last.
   *
   * @throws FencedError when another writer has claimed the partition, or Redis has lost committed data
   */
  commit(commit: TreeStoreCommit): Promise<void> {
    return this.commits.commit(commit);
  }
}

/** Finds pages of a reply. @param ids concatenated @param replies '' for a page that does not exist */
function pageReader(ids: Buffer, replies: readonly unknown[]): (id: PageId) => Buffer | undefined {
  const pages = new Map(replies.map((page, at) => [Number(ids.readBigUInt64BE(at * NUMBER_BYTES)), bytesOf(page)]));
  return (id) => {
    const page = pages.get(id);
    return page && page.length > 0 ? page : undefined;
  };
}

function elementOf(reply: unknown): IndexedElement | undefined {
  const member = bytesOf(reply);
  return member.length === 0 ? undefined : decodeElement(member);
}
