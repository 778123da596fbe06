import { FIRST_GENERATION, TREE_UPDATES } from '@fresnel/contracts/messages';
import { FresnelError, keyOf, type Pubkey } from '@fresnel/domain/primitives';
import { type TreeHead } from '@fresnel/domain/trees';
import { type JournalEntry } from './journal-entry';
import { type PostgresTreeReads } from './postgres.tree-reads';
import { type BlockAtSlot, type EntryId, type PartitionState } from './tree-store';

/** The log that trees are computed from. */
export interface TreeLog {
  /** Name of the topic in the cluster, with KAFKA_PREFIX. */
  topic: string;
  /** Of the log in this topic: the first one is 1. */
  generation: number;
}

/** The log in a topic, as long as its positions were not reset. */
export function toTreeLog(topic = TREE_UPDATES.name): TreeLog {
  return { topic, generation: FIRST_GENERATION };
}

/** The log of a process with its own bus. */
export const IN_PROCESS_LOG: TreeLog = toTreeLog(`in-process.${TREE_UPDATES.name}`);

/**
 * The durable store of the trees. Other stores follow it: they have a part of its commits, or are empty.
 *
 * ```
 *   partition  ─►  e7 ─► e6 ─► e4 …      an entry names the one before it in its partition,
 *   tree A     ─►  e7 ────────► e4 …     and for each tree that it changes, the one that changed the tree before it
 *   tree B     ─►  e6 ─► e2 …            only the newest of each are stored
 * ```
 */
export interface TreeJournal {
  /** Connects, and looks which generation the log has. Called before a partition is claimed. */
  open(): Promise<void>;
  /**
   * Stores an entry if everything that it names is still the newest, and the position is where it starts; otherwise nothing. Nothing
   * else fences writers.
   *
   * @throws FencedError, OtherLogError
   */
  persist(entry: JournalEntry): Promise<void>;
  /** Reads a partition and the entries of its trees in one snapshot. @throws OtherLogError */
  readPartition(partition: number, partitionCount: number): Promise<JournaledPartition>;
  /** Reads a tree in one snapshot: its entry, and everything that `read` reads. @throws OtherLogError */
  readTree<Result>(tree: Pubkey, read: (tree: JournaledTree | null) => Promise<Result>): Promise<Result>;
}

export interface JournaledPartition extends PartitionState {
  /** The newest entry; null before the first one. */
  entry: EntryId | null;
  offset: bigint | null;
  /** Its trees, with the entries that changed them last. */
  trees: readonly { tree: Pubkey; entry: EntryId }[];
}

/** The partition of a log without records. */
export const NEW_PARTITION: JournaledPartition = {
  ...{ entry: null, offset: null, block: null },
  ...{ blocks: [], hasRefused: false, trees: [] },
};

/** A partition after an entry. */
export function partitionAfter(before: JournaledPartition, entry: JournalEntry): JournaledPartition {
  const { id, to, block, blocks, hasRefused } = entry;
  const trees = new Map(before.trees.map((one) => [keyOf(one.tree), one]));
  for (const { head } of entry.trees) trees.set(keyOf(head.info.tree), { tree: head.info.tree, entry: id });
  return { entry: id, offset: to, block, blocks, hasRefused, trees: [...trees.values()] };
}

export interface JournaledTree {
  head: TreeHead;
  /** The entry that changed the tree last, and the block of its partition then. */
  entry: EntryId;
  block: BlockAtSlot | null;
  /** Reads from the same snapshot. */
  reads: TreeContents;
}

/** The contents of a journaled tree, as they are copied. */
export type TreeContents = Pick<
  PostgresTreeReads,
  'elementChunks' | 'pageChunks' | 'readQueue' | 'readNullifiers' | 'readUndo' | 'readElements' | 'readPages'
>;

/** The trees belong to another log, whose records are other ones. */
export class OtherLogError extends FresnelError {
  readonly code = 'other-log';
  readonly isRetryable = false;

  constructor(owner: TreeLog, log: TreeLog) {
    super(
      `the trees belong to the log ${nameOf(owner)}, and this process follows ${nameOf(log)}: if nothing writes them from ` +
        `the other log any more, run "fresnel trees hand-over ${log.topic} --generation ${log.generation}"`,
    );
  }
}

function nameOf({ topic, generation }: TreeLog): string {
  return `${topic} (generation ${generation})`;
}
