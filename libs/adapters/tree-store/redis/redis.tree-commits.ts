import { FencedError, type ClaimedPosition } from '@fresnel/contracts/messages';
import { keyOf, type Pubkey, type Slot, toPubkey } from '@fresnel/domain/primitives';
import {
  type RecentBlock,
  slotAfter,
  type TreeCommit,
  type TreePositionMove,
  type TreeStore,
  type TreeStoreCommit,
  undoNumbers,
  type WriterPosition,
} from '../tree-store';
import { encodeBlocks, encodeUndo } from '../undo.codec';
import { dataKeysOf, NO_BUS, type PartitionKeys, type TreeStoreKeys } from './keys';
import { BEGIN_COMMIT, CLAIM_PARTITION, FINISH_COMMIT, RESTART_PARTITION, SET_PARTITION } from './partition.scripts';
import { bytesOf, listOf, type Script, type ScriptRunner } from './script-runner';
import {
  encodeElement,
  encodeHead,
  encodeNullifiers,
  encodePages,
  encodeQueued,
  kindOf,
  padded,
  parsePadded,
  parsePaddedSlot,
  sortableBytes,
} from './tree-codec';
import { CHECK_TREE, FENCE_TREE, WRITE_TREE } from './tree.scripts';

/** Claims and commits of a tree store. */
export type TreeCommits = Pick<TreeStore, 'claimPosition' | 'commit' | 'checkPosition'>;

/** A partition and its trees in Redis, after previous writers were fenced. */
export interface RedisClaim {
  epoch: bigint;
  offset: bigint | null;
  trees: FencedTree[];
}

export interface FencedTree extends PartitionTree {
  /** Whether all parts of the tree are stored. */
  isComplete: boolean;
}

/** The state of a partition whose trees were loaded. */
export interface LoadedPartition {
  /** Null: the start of the log. */
  offset: bigint | null;
  slot: Slot | null;
  blocks: readonly RecentBlock[];
  trees: readonly Pubkey[];
}

interface PartitionTree {
  tree: Pubkey;
  /** Whether a commit of the tree was ever finished. */
  wasFinished: boolean;
}

/**
 * Claims and commits of `RedisTreeStore`.
 *
 * ```
 *  begin     partition                       check epoch and position, list the trees
 *  fence     each tree that is new           then begin again, and add it to the trees of the partition
 *  check     each changed tree               if the changes are to be journaled before they are written
 *  write     each tree of the partition      its changes, or only its new slot
 *  finish    partition                       move position and slot
 * ```
 *
 * Each line is atomic and checks the epoch of the writer.
 */
export class RedisTreeCommits implements TreeCommits {
  constructor(
    private readonly scripts: ScriptRunner,
    private readonly keys: TreeStoreKeys,
  ) {}

  /** Claims a partition. Once it resolves, previous writers can no longer change the partition or its trees. */
  async claimPosition(partition: number, partitionCount: number): Promise<ClaimedPosition> {
    const { epoch, offset, trees } = await this.claim(partition, partitionCount, { deletesIncomplete: true });
    if (trees.every(({ wasFinished, isComplete }) => isComplete || !wasFinished)) return { offset, epoch };
    await this.restartPartition(partition, epoch);
    return { offset: null, epoch };
  }

  /** Claims a partition, and fences its trees and further trees. */
  async claim(
    partition: number,
    partitionCount: number,
    { alsoFence = [], deletesIncomplete }: { alsoFence?: readonly Pubkey[]; deletesIncomplete: boolean },
  ): Promise<RedisClaim> {
    const keys = this.keys.ofPartition(partition);
    const reply = listOf(await this.runOnPartition(CLAIM_PARTITION, keys, [String(partition), String(partitionCount)]));
    const [epochText, offset] = [bytesOf(reply[0]), bytesOf(reply[1])];
    const stored = treesOfReply(reply[2]);
    const known = new Set(stored.map(({ tree }) => keyOf(tree)));
    const further = alsoFence.filter((tree) => !known.has(keyOf(tree))).map((tree) => ({ tree, wasFinished: false }));
    const fence = async (one: PartitionTree): Promise<FencedTree> => ({
      ...one,
      isComplete: await this.fence(one.tree, epochText, deletesIncomplete),
    });
    return {
      epoch: parsePadded(epochText),
      offset: offset.length === 0 ? null : parsePadded(offset),
      trees: await Promise.all([...stored, ...further].map(fence)),
    };
  }

  /** Makes the slot of a partition unknown while its trees are rebuilt, so that no tree is reported as nonexistent. */
  async restartPartition(partition: number, epoch: bigint): Promise<void> {
    await this.runOnPartition(RESTART_PARTITION, this.keys.ofPartition(partition), [String(partition), padded(epoch)]);
  }

  /**
   * Sets the state of a partition after its trees were loaded.
   *
   * @throws FencedError
   */
  async setPartition(partition: number, epoch: bigint, state: LoadedPartition): Promise<void> {
    const { offset, slot, blocks, trees } = state;
    const reply = await this.runOnPartition(SET_PARTITION, this.keys.ofPartition(partition), [
      String(partition),
      padded(epoch),
      offset === null ? '' : padded(offset),
      Buffer.concat(trees),
      paddedOrNone(slot),
      encodeBlocks(blocks),
    ]);
    if (reply === 0) throw new FencedError(`partition ${partition} has another writer`);
  }

  /** @param beforeWrite called when it is certain that the changes were computed from the stored trees */
  async commit(commit: TreeStoreCommit, beforeWrite?: () => Promise<void>): Promise<void> {
    const { slot, trees } = await this.begin(commit);
    if (beforeWrite) {
      await this.checkTrees(commit, trees);
      await beforeWrite();
    }
    const changed = new Set(commit.trees.map(({ head }) => keyOf(head.info.tree)));
    const unchanged = trees.filter(({ tree }) => !changed.has(keyOf(tree)));
    const written = await Promise.all([
      ...commit.trees.map((tree) => this.write(tree.head.info.tree, commit, slot, changesOf(tree))),
      ...unchanged.map(({ tree }) => this.write(tree, commit, slot, NO_CHANGES)),
    ]);
    for (const reply of written) requireNotFenced(reply, commit);
    const blocks = commit.blocks ? encodeBlocks(commit.blocks.recent) : '';
    requireNotFenced(await this.step(FINISH_COMMIT, commit, paddedOrNone(slot), blocks), commit);
  }

  /** Checks the position of the partition, and that its trees are complete and at this position. */
  async checkPosition({ partition, epoch, offset }: WriterPosition): Promise<void> {
    const position = { partition, epoch, from: offset, to: offset };
    const commit: TreeStoreCommit = { trees: [], slot: null, position };
    const reply = listOf(requireNotFenced(await this.step(BEGIN_COMMIT, commit, ''), commit));
    if ((await this.findOffset(partition)) !== offset) requireNotFenced(0, commit);
    for (const { tree, wasFinished } of treesOfReply(reply[1])) {
      if (wasFinished) requireNotFenced(await this.checkTree(tree, position, wasFinished), commit);
    }
  }

  private async findOffset(partition: number): Promise<bigint | null> {
    const offset = await this.scripts.command('HGET', this.keys.ofPartition(partition).position, 'offset');
    return offset === null ? null : parsePadded(bytesOf(offset));
  }

  private checkTree(tree: Pubkey, { epoch, from, to }: TreePositionMove, wasFinished: boolean): Promise<unknown> {
    const { state, elements, pages } = this.keys.ofTree(tree);
    return this.scripts.run(
      CHECK_TREE,
      [state, elements, pages],
      [...[epoch, from, to].map(padded), wasFinished ? '1' : '0'],
    );
  }

  /**
   * Checks that the writer is not fenced, and fences previous writers in trees that are new.
   *
   * @returns the slot after the commit, and the trees of the partition
   */
  private async begin(commit: TreeStoreCommit): Promise<{ slot: Slot | null; trees: PartitionTree[] }> {
    const { position } = commit;
    let reply = listOf(requireNotFenced(await this.step(BEGIN_COMMIT, commit, ''), commit));
    const newTrees = listOf(reply[2]).map(treeOf);
    if (newTrees.length > 0) {
      if (position) await Promise.all(newTrees.map((tree) => this.fence(tree, padded(position.epoch), true)));
      reply = listOf(requireNotFenced(await this.step(BEGIN_COMMIT, commit, '1'), commit));
    }
    const before = parsePaddedSlot(bytesOf(reply[0]));
    return { slot: slotAfter(before, commit), trees: treesOfReply(reply[1]) };
  }

  /** @throws FencedError if Redis has lost something that the changes of a tree were computed from */
  private async checkTrees(commit: TreeStoreCommit, trees: readonly PartitionTree[]): Promise<void> {
    const { position } = commit;
    if (!position) return;
    const finished = new Set(trees.filter(({ wasFinished }) => wasFinished).map(({ tree }) => keyOf(tree)));
    const replies = await Promise.all(
      commit.trees.map(({ head: { info } }) => this.checkTree(info.tree, position, finished.has(keyOf(info.tree)))),
    );
    for (const reply of replies) requireNotFenced(reply, commit);
  }

  /** Runs a step of a commit on its partition. */
  private step(script: Script, { position, trees }: TreeStoreCommit, ...last: (string | Buffer)[]): Promise<unknown> {
    const name = String(position?.partition ?? NO_BUS);
    const move = position ? [position.epoch, position.from, position.to].map(padded) : ['', '', ''];
    const changed = Buffer.concat(trees.map(({ head }) => head.info.tree));
    return this.runOnPartition(script, this.keys.ofPartition(name), [name, ...move, changed, ...last]);
  }

  private runOnPartition(script: Script, keys: PartitionKeys, args: readonly (string | Buffer)[]): Promise<unknown> {
    return this.scripts.run(script, [keys.position, keys.trees, keys.slots], args);
  }

  /** @returns whether the tree is stored completely */
  private async fence(tree: Pubkey, epoch: string | Buffer, deletesIncomplete: boolean): Promise<boolean> {
    return (await this.runOnTree(FENCE_TREE, tree, [epoch, deletesIncomplete ? '1' : ''])) === 1;
  }

  private write(
    tree: Pubkey,
    { position, blocks }: TreeStoreCommit,
    slot: Slot | null,
    changes: readonly (string | Buffer)[],
  ): Promise<unknown> {
    const [epoch, from, to] = position ? [position.epoch, position.from, position.to].map(padded) : ['', '', ''];
    const hasRevert = (blocks?.forkPointSlot ?? null) !== null;
    return this.runOnTree(WRITE_TREE, tree, [epoch, from, to, paddedOrNone(slot), hasRevert ? '1' : '', ...changes]);
  }

  private runOnTree(script: Script, tree: Pubkey, args: readonly (string | Buffer)[]): Promise<unknown> {
    const keys = this.keys.ofTree(tree);
    return this.scripts.run(script, [keys.state, ...dataKeysOf(keys)], args);
  }
}

/** The arguments of `WRITE_TREE` from the head on, for an unchanged tree. */
const NO_CHANGES = Array<string>(14).fill('');

/** The arguments of `WRITE_TREE` from the head on. */
export function changesOf(commit: TreeCommit): (string | Buffer)[] {
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

/** @throws FencedError if a script returned 0 */
function requireNotFenced(reply: unknown, { position }: TreeStoreCommit): unknown {
  if (reply !== 0) return reply;
  throw new FencedError(
    position
      ? `partition ${position.partition} has another writer, its position is not ${position.from}, or Redis lost its data`
      : 'Redis has lost a part of a tree',
  );
}

function treeOf(reply: unknown): Pubkey {
  return toPubkey(bytesOf(reply));
}

/** Parses the reply of HGETALL: fields and values alternate. */
function treesOfReply(reply: unknown): PartitionTree[] {
  const fields = listOf(reply);
  return Array.from({ length: fields.length / 2 }, (_, at) => ({
    tree: treeOf(fields[2 * at]),
    wasFinished: bytesOf(fields[2 * at + 1]).toString() === '1',
  }));
}

export function paddedOrNone(slot: Slot | null): string {
  return slot === null ? '' : padded(slot);
}
