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
 * The writer's side of `RedisTreeStore`.
 *
 * ```
 *  begin     partition   may this writer go on? which trees are there?
 *  fence     each tree that is new here      (then begin again, and make it one of the partition's)
 *  write     each tree of the partition      what changed, or just how far it is
 *  finish    partition   position and slot
 * ```
 *
 * Each line is atomic by itself and looks at the writer's epoch.
 */
export class RedisTreeCommits {
  constructor(
    private readonly scripts: ScriptRunner,
    private readonly keys: TreeStoreKeys,
  ) {}

  /** When this settles, no earlier writer can change anything of the partition's trees any more. */
  async claimPosition(partition: number, partitionCount: number): Promise<ClaimedPosition> {
    const keys = this.keys.ofPartition(partition);
    const taken = listOf(await this.runOnPartition(CLAIM_PARTITION, keys, [String(partition), String(partitionCount)]));
    const [epochText, offset] = [bytesOf(taken[0]), bytesOf(taken[1])];
    const epoch = parsePadded(epochText);
    const trees = treesOfReply(taken[2]);
    const areThere = await Promise.all(trees.map(({ tree }) => this.fence(tree, epochText)));
    if (trees.some(({ wasFinished }, at) => wasFinished && !areThere[at])) {
      await this.runOnPartition(RESTART_PARTITION, keys, [String(partition), epochText]);
      return { offset: null, epoch };
    }
    return { offset: offset.length === 0 ? null : parsePadded(offset), epoch };
  }

  async commit(commit: TreeStoreCommit): Promise<void> {
    const { reached, trees } = await this.begin(commit);
    const isTouched = new Set(commit.trees.map(({ head }) => keyOf(head.info.tree)));
    const quiet = reached === null ? [] : trees.filter((tree) => !isTouched.has(keyOf(tree)));
    const written = await Promise.all([
      ...commit.trees.map((tree) => this.write(tree.head.info.tree, commit, reached, changesOf(tree))),
      ...quiet.map((tree) => this.write(tree, commit, reached, NO_CHANGES)),
    ]);
    for (const reply of written) requireNotFenced(reply, commit);
    const blocks = commit.blocks ? encodeBlocks(commit.blocks.recent) : '';
    requireNotFenced(await this.step(FINISH_COMMIT, commit, paddedOrNone(reached), blocks), commit);
  }

  /** Looks whether the writer may go on, and sees to it that none before it can write to trees that are new here. */
  private async begin(commit: TreeStoreCommit): Promise<{ reached: Slot | null; trees: Pubkey[] }> {
    const { position } = commit;
    let begun = listOf(requireNotFenced(await this.step(BEGIN_COMMIT, commit, ''), commit));
    const unknown = listOf(begun[2]).map(treeOf);
    if (unknown.length > 0) {
      if (position) await Promise.all(unknown.map((tree) => this.fence(tree, padded(position.epoch))));
      begun = listOf(requireNotFenced(await this.step(BEGIN_COMMIT, commit, '1'), commit));
    }
    const before = parsePaddedSlot(bytesOf(begun[0]));
    return { reached: slotAfter(before, commit), trees: listOf(begun[1]).map(treeOf) };
  }

  /** A step of a commit in its partition. */
  private step(script: Script, { position, trees }: TreeStoreCommit, ...last: (string | Buffer)[]): Promise<unknown> {
    const name = String(position?.partition ?? NO_BUS);
    const move = position ? [position.epoch, position.from, position.to].map(padded) : ['', '', ''];
    const touched = Buffer.concat(trees.map(({ head }) => head.info.tree));
    return this.runOnPartition(script, this.keys.ofPartition(name), [name, ...move, touched, ...last]);
  }

  private runOnPartition(script: Script, keys: PartitionKeys, args: readonly (string | Buffer)[]): Promise<unknown> {
    return this.scripts.run(script, [keys.position, keys.trees, keys.slots], args);
  }

  /** @returns whether the tree is there, whole */
  private async fence(tree: Pubkey, epoch: string | Buffer): Promise<boolean> {
    return (await this.runOnTree(FENCE_TREE, tree, [epoch])) === 1;
  }

  private write(
    tree: Pubkey,
    { position }: TreeStoreCommit,
    reached: Slot | null,
    changes: readonly (string | Buffer)[],
  ): Promise<unknown> {
    const [epoch, offset] = position ? [position.epoch, position.to].map(padded) : ['', ''];
    return this.runOnTree(WRITE_TREE, tree, [epoch, offset, paddedOrNone(reached), ...changes]);
  }

  private runOnTree(script: Script, tree: Pubkey, args: readonly (string | Buffer)[]): Promise<unknown> {
    const { state, elements, pages, queue, queuedAddresses, undo } = this.keys.ofTree(tree);
    return this.scripts.run(script, [state, elements, pages, queue, queuedAddresses, undo], args);
  }
}

/** The arguments of `WRITE_TREE` from the head on. */
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

/** @throws FencedError for the scripts' word that another writer has taken over */
function requireNotFenced(reply: unknown, { position }: TreeStoreCommit): unknown {
  if (reply !== 0) return reply;
  const where = position
    ? `partition ${position.partition} no longer stands at ${position.from}`
    : 'a tree is not whole';
  throw new FencedError(`${where}, has another writer, or was lost`);
}

function treeOf(reply: unknown): Pubkey {
  return toPubkey(bytesOf(reply));
}

/** Fields and values of a hash, one behind the other. */
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
