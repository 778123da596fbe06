import { FencedError, type ClaimedPosition } from '@fresnel/contracts/messages';
import { keyOf, type Pubkey, type Slot, toPubkey } from '@fresnel/domain/primitives';
import { slotAfter, type TreeCommit, type TreeStoreCommit, undoNumbers } from '../tree-store';
import { encodeBlocks, encodeUndo } from '../undo.codec';
import { NO_BUS, type PartitionKeys, type TreeStoreKeys } from './keys';
import { BEGIN_COMMIT, FINISH_COMMIT, RESTART_PARTITION, CLAIM_PARTITION } from './partition.scripts';
import { bytesOf, listOf, type Script, type ScriptRunner } from './script-runner';
import {
  encodeElement,
  encodeHead,
  encodePages,
  padded,
  parsePadded,
  parsePaddedSlot,
  sortableBytes,
} from './tree-codec';
import { FENCE_TREE, WRITE_TREE } from './tree.scripts';

/**
 * Claims and commits of `RedisTreeStore`.
 *
 * ```
 *  begin     partition                       check epoch and position, list the trees
 *  fence     each tree that is new           then begin again, and add it to the trees of the partition
 *  write     each tree of the partition      its changes, or only its new slot
 *  finish    partition                       move position and slot
 * ```
 *
 * Each line is atomic and checks the epoch of the writer.
 */
export class RedisTreeCommits {
  constructor(
    private readonly scripts: ScriptRunner,
    private readonly keys: TreeStoreKeys,
  ) {}

  /** Claims a partition. Once it resolves, previous writers can no longer change the partition or its trees. */
  async claimPosition(partition: number, partitionCount: number): Promise<ClaimedPosition> {
    const keys = this.keys.ofPartition(partition);
    const reply = listOf(await this.runOnPartition(CLAIM_PARTITION, keys, [String(partition), String(partitionCount)]));
    const [epochText, offset] = [bytesOf(reply[0]), bytesOf(reply[1])];
    const epoch = parsePadded(epochText);
    const trees = treesOfReply(reply[2]);
    const areComplete = await Promise.all(trees.map(({ tree }) => this.fence(tree, epochText)));
    if (trees.some(({ wasFinished }, at) => wasFinished && !areComplete[at])) {
      await this.runOnPartition(RESTART_PARTITION, keys, [String(partition), epochText]);
      return { offset: null, epoch };
    }
    return { offset: offset.length === 0 ? null : parsePadded(offset), epoch };
  }

  async commit(commit: TreeStoreCommit): Promise<void> {
    const { slot, trees } = await this.begin(commit);
    const changed = new Set(commit.trees.map(({ head }) => keyOf(head.info.tree)));
    const unchanged = slot === null ? [] : trees.filter((tree) => !changed.has(keyOf(tree)));
    const written = await Promise.all([
      ...commit.trees.map((tree) => this.write(tree.head.info.tree, commit, slot, changesOf(tree))),
      ...unchanged.map((tree) => this.write(tree, commit, slot, NO_CHANGES)),
    ]);
    for (const reply of written) requireNotFenced(reply, commit);
    const blocks = commit.blocks ? encodeBlocks(commit.blocks.recent) : '';
    requireNotFenced(await this.step(FINISH_COMMIT, commit, paddedOrNone(slot), blocks), commit);
  }

  /**
   * Checks that the writer is not fenced, and fences previous writers in trees that are new.
   *
   * @returns the slot after the commit, and the trees of the partition
   */
  private async begin(commit: TreeStoreCommit): Promise<{ slot: Slot | null; trees: Pubkey[] }> {
    const { position } = commit;
    let reply = listOf(requireNotFenced(await this.step(BEGIN_COMMIT, commit, ''), commit));
    const newTrees = listOf(reply[2]).map(treeOf);
    if (newTrees.length > 0) {
      if (position) await Promise.all(newTrees.map((tree) => this.fence(tree, padded(position.epoch))));
      reply = listOf(requireNotFenced(await this.step(BEGIN_COMMIT, commit, '1'), commit));
    }
    const before = parsePaddedSlot(bytesOf(reply[0]));
    return { slot: slotAfter(before, commit), trees: listOf(reply[1]).map(treeOf) };
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
  private async fence(tree: Pubkey, epoch: string | Buffer): Promise<boolean> {
    return (await this.runOnTree(FENCE_TREE, tree, [epoch])) === 1;
  }

  private write(
    tree: Pubkey,
    { position, blocks }: TreeStoreCommit,
    slot: Slot | null,
    changes: readonly (string | Buffer)[],
  ): Promise<unknown> {
    const [epoch, offset] = position ? [position.epoch, position.to].map(padded) : ['', ''];
    const hasRevert = (blocks?.forkPointSlot ?? null) !== null;
    return this.runOnTree(WRITE_TREE, tree, [epoch, offset, paddedOrNone(slot), hasRevert ? '1' : '', ...changes]);
  }

  private runOnTree(script: Script, tree: Pubkey, args: readonly (string | Buffer)[]): Promise<unknown> {
    const { state, elements, pages, queue, queuedAddresses, undo } = this.keys.ofTree(tree);
    return this.scripts.run(script, [state, elements, pages, queue, queuedAddresses, undo], args);
  }
}

/** The arguments of `WRITE_TREE` from the head on, for an unchanged tree. */
const NO_CHANGES = Array<string>(10).fill('');

function changesOf(commit: TreeCommit): (string | Buffer)[] {
  const { head, removed, elements, pages, queueTruncatedFrom, queued, queueStart } = commit;
  const { first, oldestKept } = undoNumbers(commit);
  const undo = commit.undo.slice(Math.max(oldestKept - first, 0));
  return [
    encodeHead(head),
    String(head.info.height),
    Buffer.concat(removed.map(({ value }) => value)),
    Buffer.concat(elements.map(encodeElement)),
    encodePages(pages),
    queueTruncatedFrom === null ? '' : sortableBytes(queueTruncatedFrom),
    Buffer.concat([...queued].flatMap(([position, address]) => [sortableBytes(position), address])),
    sortableBytes(queueStart),
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
function treesOfReply(reply: unknown): { tree: Pubkey; wasFinished: boolean }[] {
  const fields = listOf(reply);
  return Array.from({ length: fields.length / 2 }, (_, at) => ({
    tree: treeOf(fields[2 * at]),
    wasFinished: bytesOf(fields[2 * at + 1]).toString() === '1',
  }));
}

function paddedOrNone(slot: Slot | null): string {
  return slot === null ? '' : padded(slot);
}
