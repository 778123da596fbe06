import { type Batch, type Bus, type SizeLimit } from '@fresnel/adapters/bus';
import { type RecentBlock, type TreeStore } from '@fresnel/adapters/tree-store';
import { PROVER_GROUP, FencedError, TREE_UPDATES, type TreeUpdatesMessage } from '@fresnel/contracts/messages';
import { type TreeHasher } from '@fresnel/domain/primitives';
import { sizeOfChanges } from '@fresnel/domain/trees';
import { inSpan, type Logger, retryUntilAvailable, yieldAfter } from '@fresnel/platform';
import { type BatchOutcome, PartitionBatch } from './partition-batch';
import { type TreeWriterMetrics, type WriterStage } from './prover.metrics';
import { StageClock } from './stage-clock';
import { TreeStatusReporter } from './tree-status.reporter';

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
  /** Fencing epoch of this writer. */
  epoch: bigint;
  partitionCount: number;
  /** The recent blocks as of the last commit. */
  recent: readonly RecentBlock[];
  /** The offset after the last commit; null before the first one, and while a batch is applied. */
  offset: bigint | null;
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
    const heads = await retryUntilAvailable(() => this.store.listHeads(), { signal, logger: this.logger });
    if (!heads) return;
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
    const { offset, epoch } = await this.store.claimPosition(partition, partitionCount);
    const recent = offset === null ? [] : await this.store.readBlocks(partition);
    this.claimed.set(partition, { epoch, partitionCount, recent, offset });
    this.status.report({ partition, partitionCount }, await this.store.listHeads(), await this.store.findSlot());
    return offset;
  }

  /** A store that was emptied is loaded again, also while no tree changes. */
  private async checkPartition(partition: number): Promise<void> {
    const { epoch, offset } = this.claimed.get(partition) ?? {};
    if (epoch !== undefined && offset != null) await this.store.checkPosition({ partition, epoch, offset });
  }

  private release(partitions: readonly number[]): void {
    for (const partition of partitions) {
      this.claimed.delete(partition);
      this.status.release(partition);
    }
  }

  private async applyBatch({ partition, from, to, messages }: Batch<TreeUpdatesMessage>): Promise<void> {
    await yieldAfter(MAX_TURN_MS);
    const claimed = this.claimed.get(partition);
    if (!claimed) throw new FencedError(`partition ${partition} is not claimed`);
    claimed.offset = null;
    const clock = new StageClock();
    const [reads, hasher] = [clock.reads(this.store), clock.hasher(this.hasher)];
    const batch = new PartitionBatch({ partition, ...claimed }, reads, hasher, this.acceptTreeGaps);
    const outcome = await inSpan('apply', {}, () => batch.apply(messages));
    await yieldAfter(MAX_TURN_MS);
    const { trees, slot, blocks } = outcome;
    const commitStartedAt = performance.now();
    const position = { partition, epoch: claimed.epoch, from, to };
    await inSpan('commit', {}, () => this.store.commit({ trees, slot, blocks, position }));
    this.reportSeconds({ ...clock.seconds, commit: (performance.now() - commitStartedAt) / 1000 });
    claimed.recent = blocks.recent;
    claimed.offset = to;
    this.reportBatch(partition, outcome);
    // With the first slot all trees are reported. After a revert the heads are read again: the store skips trees that already
    // have the batch, and their stored heads may differ from those computed here.
    const areChanged = blocks.forkPointSlot === null && this.status.isReported(partition);
    const heads = areChanged ? trees.map(({ head }) => head) : await this.store.listHeads();
    this.status.report({ partition, ...claimed }, heads, await this.store.findSlot());
  }

  private reportSeconds(seconds: Record<WriterStage, number>): void {
    for (const [stage, value] of Object.entries(seconds)) this.metrics.stageSeconds.observe({ stage }, value);
  }

  private reportBatch(
    partition: number,
    { slot: watermark, blocks: { forkPointSlot }, skippedRecords, rootChecks }: BatchOutcome,
  ): void {
    for (const result of rootChecks) this.metrics.rootChecks.inc({ result });
    const slot = watermark ?? forkPointSlot;
    if (slot !== null) this.metrics.slot.set({ partition }, slot);
    if (forkPointSlot !== null) {
      this.metrics.reverts.inc();
      this.logger.warn({ forkPointSlot, slot }, 'orphaned blocks reverted in the trees');
    }
    if (skippedRecords.length > 0) {
      this.metrics.skippedRecords.inc(skippedRecords.length);
      const values = { records: skippedRecords.length, slot: skippedRecords[0].slot };
      this.logger.warn(values, 'records skipped: their blocks are not on the branch of the trees');
    }
  }
}
