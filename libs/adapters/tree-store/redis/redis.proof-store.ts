import { type Hash, type Hasher, type Pubkey, type Slot, toHash, toSlot } from '@fresnel/domain/primitives';
import { type IndexedElement, NodePages, type PageId, type TreeHead } from '@fresnel/domain/trees';
import { TreeStoreDamagedError } from '../tree-store.errors';
import { readQueuedElements } from '../queued-elements';
import { pathsOfElements, readLeaves } from '../read-paths';
import {
  type BlockAtSlot,
  type OpenTree,
  type ProofStore,
  type QueuedElements,
  type QueuedElementsRequest,
  type TreeAtSlot,
  type TreeLeaves,
  type TreeProofs,
} from '../tree-store';
import { type TreeKeyspace, TreeStoreKeys } from './keys';
import { RedisMarks } from './redis.marks';
import { lookAtTree, RedisOpenTree } from './redis.open-tree';
import { bytesOf, listOf, type RedisCommands, ScriptRunner } from './script-runner';
import { decodeElement, NUMBER_BYTES, sortableBytes } from '../tree-records';
import { decodeHead } from './tree-codec';
import { READ_LEAVES, READ_PROOFS } from './tree.scripts';

/**
 * Trees in Redis, for any number of readers.
 *
 * Each read of a tree is atomic and returns the entry that the tree is at. The marks of the partitions say which slot a tree has at
 * this entry; a tree that is at another one has the slot of its own entry.
 */
export class RedisProofStore implements ProofStore {
  protected readonly scripts: ScriptRunner;
  protected readonly keys: TreeStoreKeys;
  readonly marks: RedisMarks;

  /**
   * @param redis a connection to a server or a cluster; the caller opens and closes it
   * @param keyspace selects the keys of this deployment
   * @param marks null: those of the same server
   */
  constructor(
    redis: RedisCommands,
    protected readonly hasher: Hasher,
    keyspace: TreeKeyspace = {},
    marks: RedisMarks | null = null,
  ) {
    this.scripts = new ScriptRunner(redis);
    this.keys = new TreeStoreKeys(keyspace);
    this.marks = marks ?? new RedisMarks(this.scripts, this.keys);
  }

  async findSlot(): Promise<Slot | null> {
    await this.marks.read();
    return this.marks.slot;
  }

  async isEmpty(): Promise<boolean> {
    await this.marks.read();
    return this.marks.areEmpty;
  }

  async findTreeSlot(tree: Pubkey): Promise<Slot | null> {
    const [state] = await Promise.all([this.readState(tree), this.marks.read()]);
    return state && (this.marks.placeOf(tree, state.entry, state.own).block?.slot ?? null);
  }

  async openTree(tree: Pubkey): Promise<OpenTree> {
    return new RedisOpenTree(this.scripts, this.keys, tree, await lookAtTree(this.scripts, this.keys, tree));
  }

  /**
   * Reads all proofs in one script, so that they are from one state and need no retries while a writer commits.
   *
   * @throws TreeStoreDamagedError
   */
  async readProofs(tree: Pubkey, addresses: readonly Hash[], minSlot?: Slot): Promise<TreeProofs | null> {
    const { state, elements, pages, queuedAddresses } = this.keys.ofTree(tree);
    const reply = await this.scripts.run(
      READ_PROOFS,
      [state, elements, pages, queuedAddresses],
      [Buffer.concat(addresses)],
    );
    if (reply === null) return null;
    if (reply === 0) throw new TreeStoreDamagedError('Redis has lost a part of an address tree');
    const [entry, slot, blockhash, head, lows, exists, ids, found] = listOf(reply);
    const at = await this.placed(tree, stateOf([entry, slot, blockhash, head]), minSlot);
    return at && { ...at, ...this.toProofs(at.head, addresses, { lows, exists, ids, found }) };
  }

  /**
   * Like `readProofs`, of leaves of a state tree.
   *
   * @throws TreeStoreDamagedError
   */
  async readLeaves(tree: Pubkey, leafIndices: readonly number[], minSlot?: Slot): Promise<TreeLeaves | null> {
    const { state, elements, pages } = this.keys.ofTree(tree);
    const requested = Buffer.concat(leafIndices.map(sortableBytes));
    const reply = await this.scripts.run(READ_LEAVES, [state, elements, pages], [requested]);
    if (reply === null) return null;
    if (reply === 0) throw new TreeStoreDamagedError('Redis has lost a part of a state tree');
    const [entry, slot, blockhash, head, ids, found] = listOf(reply);
    const at = await this.placed(tree, stateOf([entry, slot, blockhash, head]), minSlot);
    if (!at) return null;
    const nodes = new NodePages(pageReader(bytesOf(ids), listOf(found)), this.hasher);
    return { ...at, ...readLeaves(nodes, leafIndices, at.head) };
  }

  async readHead(tree: Pubkey, minSlot?: Slot): Promise<TreeAtSlot | null> {
    const state = await this.readState(tree);
    return state && this.placed(tree, state, minSlot);
  }

  /**
   * Reads in many short commands, so that Redis answers others in between.
   *
   * @throws TreeStoreDamagedError, TreeMovedError
   */
  readQueuedElements(tree: Pubkey, request: QueuedElementsRequest, minSlot?: Slot): Promise<QueuedElements | null> {
    const open = async () => {
      const state = await this.readState(tree);
      const at = state && (await this.placed(tree, state, minSlot));
      if (!at) return null;
      const seen = { ...state, isComplete: true };
      return { at, reads: new RedisOpenTree(this.scripts, this.keys, tree, seen, 'nodesEntry') };
    };
    return readQueuedElements(open, request, this.hasher);
  }

  private async readState(tree: Pubkey): Promise<(TreeState & { nodesEntry: string }) | null> {
    const fields = ['entry', 'slot', 'blockhash', 'head', 'nodesEntry'];
    const reply = listOf(await this.scripts.command('HMGET', this.keys.ofTree(tree).state, ...fields));
    if (reply.some((value) => value === null)) return null;
    return { ...stateOf(reply), nodesEntry: bytesOf(reply[4]).toString() };
  }

  /**
   * Adds the slot. Marks that were read a moment ago are used if they have the requested slot for the tree.
   *
   * @returns null without a slot
   */
  private async placed(tree: Pubkey, { entry, own, head }: TreeState, minSlot?: Slot): Promise<TreeAtSlot | null> {
    let place = this.marks.placeOf(tree, entry, null);
    if (minSlot === undefined || !this.marks.areRecent || !place.block || place.block.slot < minSlot) {
      await this.marks.read();
      place = this.marks.placeOf(tree, entry, own);
    }
    return place.block && { head, ...place.block, hasRefused: place.hasRefused };
  }

  private toProofs(
    head: TreeHead,
    addresses: readonly Hash[],
    { lows, exists, ids, found }: Record<'lows' | 'exists' | 'ids' | 'found', unknown>,
  ): Pick<TreeProofs, 'items' | 'paths'> {
    const elements = listOf(lows).map(elementOf);
    const existing = bytesOf(exists).toString();
    const pages = new NodePages(pageReader(bytesOf(ids), listOf(found)), this.hasher);
    return {
      paths: pathsOfElements(pages, elements, head),
      items: addresses.map((address, at) => {
        const low = elements[at];
        return { low, exists: existing[at] === '1' || (low?.nextValue.equals(address) ?? false) };
      }),
    };
  }
}

/** What the state of a tree says of it: the entry that it is at, and the block of its partition at that entry. */
interface TreeState {
  entry: string;
  own: BlockAtSlot | null;
  head: TreeHead;
}

function stateOf([entry, slot, blockhash, head]: unknown[]): TreeState {
  const [slotText, hash] = [bytesOf(slot).toString(), bytesOf(blockhash)];
  const own = { slot: toSlot(Number(slotText)), blockhash: hash.length === 0 ? null : toHash(hash) };
  return { entry: bytesOf(entry).toString(), own: slotText === '' ? null : own, head: decodeHead(bytesOf(head)) };
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
