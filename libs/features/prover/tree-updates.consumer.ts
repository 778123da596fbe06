import { type Batch, type Bus, type SizeLimit } from '@fresnel/adapters/bus';
import { type RecentBlock, type TreeStore } from '@fresnel/adapters/tree-store';
import { PROVER_GROUP, FencedError, TREE_UPDATES, type TreeUpdatesMessage } from '@fresnel/contracts/messages';
import { toBase58, type TreeHasher } from '@fresnel/domain/primitives';
import { type AddressTreeHead, changedElements, unservableReasonOf } from '@fresnel/domain/trees';
import { type Logger, retryUntilAvailable, yieldAfter } from '@fresnel/platform';
import { type BatchOutcome, PartitionBatch } from './partition-batch';
import { type TreeWriterMetrics } from './prover.metrics';

/** Maximum records per batch. Each changed node is hashed once per batch. */
const MAX_BATCH = 500;

/** A batch starts in the next turn of the event loop if the current one has lasted this long. */
const MAX_TURN_MS = 2;

/** Reads wait while a commit is applied to a tree in memory, so a batch is bounded by what it changes as well. */
const SIZE_LIMIT: SizeLimit<TreeUpdatesMessage> = {
  max: 1_000,
  sizeOf: (message) => (message.kind === 'update' ? changedElements(message.update.changes) : 0),
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

/** The writer of address trees: consumes `tree-updates`, and applies each batch to the store. */
export class TreeUpdatesConsumer {
  /** The last logged status of each tree: `served`, or why its proofs are refused. */
  private readonly loggedStatus = new Map<string, string>();
  private readonly claimed = new Map<number, ClaimedPartition>();

  constructor(
    private readonly bus: Bus,
    private readonly store: TreeStore,
    private readonly hasher: TreeHasher,
    private readonly acceptTreeGaps: boolean,
    private readonly logger: Logger,
    private readonly metrics: TreeWriterMetrics,
  ) {}

  /** Consumes `tree-updates` until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const heads = await retryUntilAvailable(() => this.store.listHeads(), { signal, logger: this.logger });
    if (!heads) return;
    await this.reportStatus(heads);
    const claimPartition = (partition: number, count: number) => this.claimPartition(partition, count);
    const onBatch = (batch: Batch<TreeUpdatesMessage>) => this.applyBatch(batch);
    const checkPartition = (partition: number) => this.checkPartition(partition);
    const limits = { maxBatch: MAX_BATCH, sizeLimit: SIZE_LIMIT };
    await this.bus.consume(
      { group: PROVER_GROUP, topic: TREE_UPDATES, ...limits, claimPartition, onBatch, checkPartition },
      signal,
    );
  }

  private async claimPartition(partition: number, partitionCount: number): Promise<bigint | null> {
    const { offset, epoch } = await this.store.claimPosition(partition, partitionCount);
    const recent = offset === null ? [] : await this.store.readBlocks(partition);
    this.claimed.set(partition, { epoch, partitionCount, recent, offset });
    return offset;
  }

  /** A store that was emptied is loaded again, also while no tree changes. */
  private async checkPartition(partition: number): Promise<void> {
    const { epoch, offset } = this.claimed.get(partition) ?? {};
    if (epoch !== undefined && offset != null) await this.store.checkPosition({ partition, epoch, offset });
  }

  private async applyBatch({ partition, from, to, messages }: Batch<TreeUpdatesMessage>): Promise<void> {
    await yieldAfter(MAX_TURN_MS);
    const claimed = this.claimed.get(partition);
    if (!claimed) throw new FencedError(`partition ${partition} is not claimed`);
    claimed.offset = null;
    const batch = new PartitionBatch({ partition, ...claimed }, this.store, this.hasher, this.acceptTreeGaps);
    const outcome = await batch.apply(messages);
    await yieldAfter(MAX_TURN_MS);
    const { trees, slot, blocks } = outcome;
    await this.store.commit({ trees, slot, blocks, position: { partition, epoch: claimed.epoch, from, to } });
    claimed.recent = blocks.recent;
    claimed.offset = to;
    this.reportBatch(outcome);
    // After a revert the heads are read again: the store skips trees that already have the batch, and their stored heads
    // may differ from those computed here.
    await this.reportStatus(
      blocks.forkPointSlot === null ? trees.map(({ head }) => head) : await this.store.listHeads(),
    );
  }

  private reportBatch({ slot: watermark, blocks: { forkPointSlot }, skippedRecords }: BatchOutcome): void {
    const slot = watermark ?? forkPointSlot;
    if (slot !== null) this.metrics.slot.set(slot);
    if (forkPointSlot !== null) {
      this.metrics.reverts.inc();
      this.logger.warn({ forkPointSlot, slot }, 'orphaned blocks reverted in the address trees');
    }
    if (skippedRecords.length > 0) {
      this.metrics.skippedRecords.inc(skippedRecords.length);
      const values = { records: skippedRecords.length, slot: skippedRecords[0].slot };
      this.logger.warn(values, 'records skipped: their blocks are not on the branch of the address trees');
    }
  }

  /** Updates the metrics of each tree, and logs when a tree becomes unservable or servable again. */
  private async reportStatus(heads: readonly AddressTreeHead[]): Promise<void> {
    const slot = await this.store.findSlot();
    if (slot === null) return;
    for (const head of heads) {
      const tree = toBase58(head.info.tree);
      const reason = unservableReasonOf(head, slot, this.acceptTreeGaps);
      const status = reason?.code ?? 'served';
      this.metrics.isServed.set({ tree }, reason ? 0 : 1);
      this.metrics.seq.set({ tree }, Number(head.seq));
      if ((this.loggedStatus.get(tree) ?? 'served') === status) continue;
      this.loggedStatus.set(tree, status);
      const { quarantineReason } = head;
      const values = { tree, slot, seq: head.seq.toString(), reason: reason?.message, quarantineReason };
      if (!reason) this.logger.info(values, 'address tree is servable again');
      else if (reason.code === 'quarantined') this.logger.error(values, 'address tree is quarantined');
      else this.logger.warn(values, 'address tree is unservable');
    }
  }
}
