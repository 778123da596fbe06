import { type Batch, type Bus, type SizeLimit } from '@fresnel/adapters/bus';
import { TreeMovedError, type TreePartition, type TreeStore } from '@fresnel/adapters/tree-store';
import { PROVER_GROUP, FencedError, TREE_UPDATES, type TreeUpdatesMessage } from '@fresnel/contracts/messages';
import { type TreeHasher } from '@fresnel/domain/primitives';
import { sizeOfChanges } from '@fresnel/domain/trees';
import { inSpan, type Logger, retryUntilAvailable, yieldAfter } from '@fresnel/platform';
import { now } from '@fresnel/platform/time';
import { type BatchOutcome, PartitionBatch } from './partition-batch';
import { type TreeWriterMetrics, type WriterStage } from './prover.metrics';
import { StageClock } from './stage-clock';
import { type Partition, TreeStatusReporter } from './tree-status.reporter';

/** Maximum records per batch. Each changed node is hashed once per batch. */
const MAX_BATCH = 500;

/** A batch starts in the next turn of the event loop if the current one has lasted this long. */
const MAX_TURN_MS = 2;

/** Reads wait while a commit is applied to a tree in memory, so a batch is bounded by what it changes as well. */
const SIZE_LIMIT: SizeLimit<TreeUpdatesMessage> = {
  max: 2_000,
  sizeOf: (message) => (message.kind === 'update' ? sizeOfChanges(message.update.changes) : 0),
};

interface ClaimedPartition {
  partitionCount: number;
  /** Null while a batch is applied, and after a failed one: then it is not known what the journal has. */
  trees: TreePartition | null;
}

/** The writer of the trees: consumes `tree-updates`, and applies each batch to the store. */
export class TreeUpdatesConsumer {
  private readonly status: TreeStatusReporter;
  private readonly claimed = new Map<number, ClaimedPartition>();

  constructor(
    private readonly bus: Bus,
    private readonly store: TreeStore,
    private readonly hasher: TreeHasher,
    private readonly acceptTreeGaps: boolean,
    private readonly logger: Logger,
    private readonly metrics: TreeWriterMetrics,
  ) {
    this.status = new TreeStatusReporter(acceptTreeGaps, logger, metrics);
  }

  /** Consumes `tree-updates` until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const isAvailable = await retryUntilAvailable(async () => ({ slot: await this.store.findSlot() }), {
      signal,
      logger: this.logger,
    });
    if (!isAvailable) return;
    const onReleased = (partitions: readonly number[]) => {
      this.release(partitions);
    };
    const claimPartition = (partition: number, count: number) => this.claimPartition(partition, count);
    const onBatch = (batch: Batch<TreeUpdatesMessage>) => this.applyBatch(batch);
    const checkPartition = (partition: number) => this.checkPartition(partition);
    const onFenced = () => {
      this.metrics.fenced.inc();
    };
    const handlers = { claimPartition, onReleased, onBatch, checkPartition, onFenced };
    const limits = { maxBatch: MAX_BATCH, sizeLimit: SIZE_LIMIT };
    await this.bus.consume({ group: PROVER_GROUP, topic: TREE_UPDATES, ...limits, ...handlers }, signal);
  }

  private async claimPartition(partition: number, partitionCount: number): Promise<bigint | null> {
    const trees = await this.store.claimPartition(partition, partitionCount);
    this.claimed.set(partition, { partitionCount, trees });
    await this.reportTrees({ partition, partitionCount }, trees);
    return trees.offset;
  }

  /** A store that was emptied is loaded again, also while no tree changes. */
  private async checkPartition(partition: number): Promise<void> {
    await this.claimed.get(partition)?.trees?.check();
  }

  private release(partitions: readonly number[]): void {
    for (const partition of partitions) {
      this.claimed.delete(partition);
      this.status.release(partition);
    }
  }

  private async applyBatch(batch: Batch<TreeUpdatesMessage>): Promise<void> {
    await yieldAfter(MAX_TURN_MS);
    const { partition, from, to } = batch;
    const claimed = this.claimed.get(partition);
    if (!claimed) throw new FencedError(`partition ${partition} is not claimed`);
    const trees = await this.takeTrees(partition, claimed);
    if (trees.offset !== to) {
      if ((trees.offset ?? 0n) !== from) throw new FencedError(`the position of partition ${partition} is not ${from}`);
      await this.apply(batch, claimed, trees).catch((error: unknown) => this.rejectBatch(batch, claimed, error));
    }
    claimed.trees = trees;
  }

  /** After a failed batch the partition is claimed again: the journal may have its commit, or that of another writer. */
  private async takeTrees(partition: number, claimed: ClaimedPartition): Promise<TreePartition> {
    const { trees } = claimed;
    claimed.trees = null;
    return trees ?? (await this.store.claimPartition(partition, claimed.partitionCount));
  }

  /**
   * A batch that is refused although the position has not moved was computed from a tree that has changed, as by a rebuild. Then it is
   * delivered again.
   */
  private async rejectBatch(
    { partition, from }: Batch<TreeUpdatesMessage>,
    { partitionCount }: ClaimedPartition,
    error: unknown,
  ): Promise<never> {
    if (!(error instanceof FencedError)) throw error;
    const { offset } = await this.store.claimPartition(partition, partitionCount);
    if ((offset ?? 0n) !== from) throw error;
    this.metrics.fenced.inc();
    throw new TreeMovedError('trees were changed while a batch was applied to them', { cause: error });
  }

  private async apply(
    { partition, to, messages }: Batch<TreeUpdatesMessage>,
    { partitionCount }: ClaimedPartition,
    trees: TreePartition,
  ): Promise<void> {
    const clock = new StageClock();
    const batch = new PartitionBatch(clock.reads(trees), clock.hasher(this.hasher), this.acceptTreeGaps);
    const outcome = await inSpan('apply', {}, () => batch.apply(messages));
    await yieldAfter(MAX_TURN_MS);
    const { block, blocks } = outcome;
    const hadRefused = trees.hasRefused;
    const commitStartedAt = now();
    await inSpan('commit', {}, () => trees.commit({ trees: outcome.trees, block, blocks, to }));
    this.reportSeconds({ ...clock.seconds, commit: (now() - commitStartedAt) / 1000 });
    this.reportBatch(partition, outcome);
    // All trees are reported with the first slot, with the first refused block, and when none is left.
    if (!this.status.isReported(partition) || hadRefused !== trees.hasRefused) {
      await this.reportTrees({ partition, partitionCount }, trees);
      return;
    }
    const heads = outcome.trees.map(({ head }) => head);
    this.status.report({ partition, partitionCount, hasRefused: trees.hasRefused }, heads, trees.block?.slot ?? null);
  }

  private async reportTrees(partition: Omit<Partition, 'hasRefused'>, trees: TreePartition): Promise<void> {
    const opened = await Promise.all(trees.trees.map((tree) => trees.openTree(tree)));
    const heads = opened.flatMap(({ head }) => (head ? [head] : []));
    this.status.report({ ...partition, hasRefused: trees.hasRefused }, heads, trees.block?.slot ?? null);
  }

  private reportSeconds(seconds: Record<WriterStage, number>): void {
    for (const [stage, value] of Object.entries(seconds)) this.metrics.stageSeconds.observe({ stage }, value);
  }

  private reportBatch(
    partition: number,
    { block, blocks: { forkPointSlot }, skippedRecords, refusedRecords, rootChecks }: BatchOutcome,
  ): void {
    for (const result of rootChecks) this.metrics.rootChecks.inc({ result });
    const slot = block?.slot ?? forkPointSlot;
    if (slot !== null) this.metrics.slot.set({ partition }, slot);
    if (forkPointSlot !== null) {
      this.metrics.reverts.inc();
      this.logger.warn({ forkPointSlot, slot }, 'orphaned blocks reverted in the trees');
    }
    if (skippedRecords.length > 0) {
      this.metrics.skippedRecords.inc(skippedRecords.length);
      const values = { records: skippedRecords.length, slot: skippedRecords[0].slot };
      this.logger.warn(values, 'records skipped: their blocks are orphaned');
    }
    if (refusedRecords.length > 0) {
      this.metrics.refusedRecords.inc(refusedRecords.length);
      const values = { records: refusedRecords.length, slot: refusedRecords[0].slot, partition };
      this.logger.error(values, 'records refused: their blocks are on another branch than the trees');
    }
  }
}
