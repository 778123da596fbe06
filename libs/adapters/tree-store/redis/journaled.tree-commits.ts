import { type ClaimedPosition, FencedError, partitionOfTree } from '@fresnel/contracts/messages';
import { keyOf } from '@fresnel/domain/primitives';
import { type TreeHead } from '@fresnel/domain/trees';
import { type PostgresTreeJournal } from '../postgres.tree-journal';
import { type TreeStoreCommit, type WriterPosition } from '../tree-store';
import { type RedisClaim, type RedisTreeCommits, type TreeCommits } from './redis.tree-commits';
import { type RedisTreeLoader, type TreeLoad } from './redis.tree-loader';

/** The journal of a Redis tree store. */
export interface RedisTreeJournal extends Pick<
  PostgresTreeJournal,
  'claimPosition' | 'persist' | 'readPartition' | 'trees'
> {
  /** Connects. Called before each claim. */
  open(): Promise<void>;
  /** Called for each tree that a claim has compared. */
  onTree(load: TreeLoad): void;
}

/** The epochs of one claim. */
interface Epochs {
  journal: bigint;
  redis: bigint;
}

/**
 * Commits to a journal first, then to Redis.
 *
 * ```
 *  claim     journal, then Redis             both fence previous writers
 *  load      each tree that differs          copied from the journal, without hashing
 *  ────────────────────────────────────────────────────────────────────────────────────
 *  check     Redis                           the commit was computed from what Redis has committed
 *  persist   journal                         data and position in one transaction
 *  write     Redis                           one tree after the other, and the position last
 * ```
 *
 * The position in the journal is authoritative: Redis may be behind it after a crash between the two last steps, after a
 * failover, or empty. It may be ahead if the database was restored from a backup. In each case the next claim makes the
 * trees equal to those of the journal, and the log is followed from the journal's position.
 */
export class JournaledTreeCommits implements TreeCommits {
  /** By partition. */
  private readonly epochs = new Map<number, Epochs>();

  constructor(
    private readonly redis: RedisTreeCommits,
    private readonly loader: RedisTreeLoader,
    private readonly journal: RedisTreeJournal,
  ) {}

  async claimPosition(partition: number, partitionCount: number): Promise<ClaimedPosition> {
    await this.journal.open();
    const claimed = await this.journal.claimPosition(partition);
    const heads = (await this.journal.trees.listHeads()).filter(
      ({ info }) => partitionOfTree(info.tree, partitionCount) === partition,
    );
    const alsoFence = heads.map(({ info }) => info.tree);
    const inRedis = await this.redis.claim(partition, partitionCount, { alsoFence, deletesIncomplete: false });
    this.epochs.set(partition, { journal: claimed.epoch, redis: inRedis.epoch });
    await this.loadTrees(partition, claimed.offset, heads, inRedis);
    return claimed;
  }

  /** @throws FencedError, also if Redis has lost data that the commit was computed from; then nothing is written */
  async commit(commit: TreeStoreCommit): Promise<void> {
    const { position } = commit;
    if (!position) throw new Error('a journaled commit needs a position');
    const epochs = this.epochs.get(position.partition);
    if (epochs?.journal !== position.epoch) throw new FencedError(`partition ${position.partition} was claimed again`);
    const inRedis = { ...commit, position: { ...position, epoch: epochs.redis } };
    await this.redis.commit(inRedis, () => this.journal.persist(commit));
  }

  /** @throws FencedError */
  async checkPosition({ partition, epoch, offset }: WriterPosition): Promise<void> {
    const epochs = this.epochs.get(partition);
    if (epochs?.journal !== epoch) throw new FencedError(`partition ${partition} was claimed again`);
    await this.redis.checkPosition({ partition, epoch: epochs.redis, offset });
  }

  private async loadTrees(
    partition: number,
    offset: bigint | null,
    heads: readonly TreeHead[],
    { epoch, trees }: RedisClaim,
  ): Promise<void> {
    const { slot, blocks } = await this.journal.readPartition(partition);
    const incomplete = new Set(trees.filter(({ isComplete }) => !isComplete).map(({ tree }) => keyOf(tree)));
    const journaled = new Set(heads.map(({ info }) => keyOf(info.tree)));
    if (incomplete.size > 0) await this.redis.restartPartition(partition, epoch);
    for (const { tree } of trees) if (!journaled.has(keyOf(tree))) await this.loader.deleteTree(tree, epoch);
    for (const head of heads) {
      const isComplete = !incomplete.has(keyOf(head.info.tree));
      this.journal.onTree(await this.loader.load(head, { epoch, offset, slot, isComplete }));
    }
    const state = { offset, slot, blocks, trees: heads.map(({ info }) => info.tree) };
    await this.redis.setPartition(partition, epoch, state);
  }
}
