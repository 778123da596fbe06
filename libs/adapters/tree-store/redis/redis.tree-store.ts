import { FencedError } from '@fresnel/contracts/messages';
import { type Hasher, keyOf, type Pubkey } from '@fresnel/domain/primitives';
import { TreeMovedError } from '../tree-store.errors';
import { entryOf, type JournalEntry } from '../journal-entry';
import { type JournaledPartition, partitionAfter, type TreeJournal } from '../tree-journal';
import {
  type BlockAtSlot,
  type EntryId,
  extendsQueuesOnly,
  type OpenTree,
  type RecentBlock,
  type TreePartition,
  type TreeStore,
  type TreeStoreCommit,
} from '../tree-store';
import { type TreeKeyspace, type TreeStoreKeys } from './keys';
import { type RedisMarks } from './redis.marks';
import { lookAtTree, RedisOpenTree, type SeenTree } from './redis.open-tree';
import { RedisProofStore } from './redis.proof-store';
import { RedisTreeLoader, type TreeLoad } from './redis.tree-loader';
import { type RedisCommands, type ScriptRunner } from './script-runner';
import { decodeMark, encodeMark } from './tree-codec';

/** What the partitions of a store share. */
interface StoreParts {
  scripts: ScriptRunner;
  keys: TreeStoreKeys;
  marks: RedisMarks;
  journal: TreeJournal;
  loader: RedisTreeLoader;
  /** Called for each tree that a claim has compared or loaded. */
  onLoad: (load: TreeLoad) => void;
}

/**
 * Trees in Redis that follow a journal.
 *
 * ```
 *  claim     Redis, then journal     look at each tree, read the journal, load what differs; the mark is last
 *  ────────────────────────────────────────────────────────────────────────────────────────────────────────────
 *  commit    journal                 the only fence: everything that the entry names must be the newest
 *            Redis                   the entry on top of the one that it names: one tree after the other, then the mark
 * ```
 *
 * Redis may lose anything, and any command may be executed late or again: a tree and a mark change only from the entry that the
 * command names, and have what the journal has stored under their entry. A writer that finds another entry than the journal's loads.
 */
export class RedisTreeStore extends RedisProofStore implements TreeStore {
  private readonly parts: StoreParts;

  /** @param redis as for `RedisProofStore` */
  constructor(
    redis: RedisCommands,
    hasher: Hasher,
    keyspace: TreeKeyspace,
    journal: TreeJournal,
    onLoad: (load: TreeLoad) => void = () => undefined,
  ) {
    super(redis, hasher, keyspace);
    const { scripts, keys, marks } = this;
    this.parts = { scripts, keys, marks, journal, onLoad, loader: new RedisTreeLoader(scripts, keys, journal) };
  }

  /** @throws OtherLogError, TreeMovedError if other writers load at the same time */
  async claimPartition(partition: number, partitionCount: number): Promise<TreePartition> {
    await this.parts.journal.open();
    return RedisTreePartition.claim(this.parts, partition, partitionCount);
  }
}

/** A partition as one writer has claimed it. */
class RedisTreePartition implements TreePartition {
  private constructor(
    private readonly parts: StoreParts,
    private readonly partition: number,
    private readonly partitionCount: number,
    private state: JournaledPartition,
  ) {}

  static async claim(parts: StoreParts, partition: number, partitionCount: number): Promise<RedisTreePartition> {
    const { marks, journal } = parts;
    let seen = await marks.readOne(partition);
    let state = await journal.readPartition(partition, partitionCount);
    if (await loadTrees(parts, state, seen)) {
      seen = await marks.readOne(partition);
      state = await journal.readPartition(partition, partitionCount);
    }
    const next = encodeMark(state, partitionCount);
    if (!seen?.equals(next) && !(await marks.move(partition, seen, next)))
      throw new TreeMovedError(markMoved(partition));
    return new RedisTreePartition(parts, partition, partitionCount, state);
  }

  get offset(): bigint | null {
    return this.state.offset;
  }

  get block(): BlockAtSlot | null {
    return this.state.block;
  }

  get blocks(): readonly RecentBlock[] {
    return this.state.blocks;
  }

  get hasRefused(): boolean {
    return this.state.hasRefused;
  }

  get trees(): Pubkey[] {
    return this.state.trees.map(({ tree }) => tree);
  }

  /**
   * A tree that Redis has at another entry than the journal is loaded first.
   *
   * @throws FencedError if Redis has another entry after that too: another writer has gone on, or Redis has failed over. The journal may
   * not know what Redis has, so a commit without this tree would leave out the tree's records
   */
  async openTree(tree: Pubkey): Promise<OpenTree> {
    const { scripts, keys, loader, onLoad } = this.parts;
    const newest = this.state.trees.find((one) => one.tree.equals(tree))?.entry ?? null;
    const isNewest = ({ entry, isComplete }: SeenTree) => entry === newest && isComplete;
    let seen = await lookAtTree(scripts, keys, tree);
    if (!isNewest(seen)) {
      onLoad(await loader.load(tree));
      seen = await lookAtTree(scripts, keys, tree);
      if (!isNewest(seen)) throw this.fenced();
    }
    return new RedisOpenTree(scripts, keys, tree, seen);
  }

  /** @throws FencedError, and then nothing is stored; after other errors the journal may have the commit */
  async commit(commit: TreeStoreCommit): Promise<void> {
    const entry = entryOf(this.partition, this.state, commit);
    await this.parts.journal.persist(entry);
    const before = encodeMark(this.state, this.partitionCount);
    this.state = partitionAfter(this.state, entry);
    await this.apply(entry);
    const isMoved = await this.parts.marks.move(this.partition, before, encodeMark(this.state, this.partitionCount));
    if (!isMoved) throw new TreeMovedError(markMoved(this.partition));
  }

  /** Redis may have lost something that no record would notice, and another writer may have gone on. @throws FencedError */
  async check(): Promise<void> {
    const { scripts, keys, marks, journal } = this.parts;
    const journaled = await journal.readPartition(this.partition, this.partitionCount);
    const mark = await marks.readOne(this.partition);
    const seen = await Promise.all(this.trees.map((tree) => lookAtTree(scripts, keys, tree)));
    const isKnown = journaled.entry === this.state.entry && journaled.offset === this.state.offset;
    const isMarked = mark?.equals(encodeMark(journaled, this.partitionCount)) ?? false;
    const haveAll = seen.every(({ entry, isComplete }, at) => isComplete && entry === this.state.trees[at].entry);
    if (isKnown && isMarked && haveAll) return;
    throw this.fenced();
  }

  private fenced(): FencedError {
    return new FencedError(`partition ${this.partition} has commits of another writer, or Redis has lost some of it`);
  }

  private async apply(entry: JournalEntry): Promise<void> {
    const { id, block } = entry;
    await Promise.all(
      entry.trees.map((tree) =>
        this.parts.loader.apply(tree, tree.on, { entry: id, block, changesNodes: !extendsQueuesOnly(tree) }),
      ),
    );
  }
}

/** Loads the trees that differ from the journal, and deletes those that only the mark has. @returns whether there are any */
async function loadTrees(
  { scripts, keys, loader, onLoad }: StoreParts,
  { trees }: JournaledPartition,
  mark: Buffer | null,
): Promise<boolean> {
  const marked = mark ? [...decodeMark(mark).trees.values()] : [];
  const all = new Map<string, { tree: Pubkey; newest: EntryId | null }>();
  for (const { tree } of marked) all.set(keyOf(tree), { tree, newest: null });
  for (const { tree, entry } of trees) all.set(keyOf(tree), { tree, newest: entry });
  const found = await Promise.all(
    [...all.values()].map(async (one) => ({ ...one, seen: await lookAtTree(scripts, keys, one.tree) })),
  );
  const isEqual = ({ seen, newest }: (typeof found)[number]) => seen.entry === newest && seen.isComplete;
  for (const { tree, seen } of found.filter(isEqual))
    onLoad({ tree, kind: 'equal', leaves: seen.head?.nextIndex ?? 0 });
  const differing = found.filter((one) => !isEqual(one));
  for (const { tree } of differing) onLoad(await loader.load(tree));
  return differing.length > 0;
}

function markMoved(partition: number): string {
  return `another writer has moved the mark of partition ${partition}`;
}
