import { type Bus } from '@fresnel/adapters/bus';
import { type BlockSource, ForkError, LinkedAbort } from '@fresnel/adapters/chain';
import { type BlockLink, type BlockRef } from '@fresnel/domain/chain';
import { type TransactionParser } from '@fresnel/domain/events';
import { type Pubkey, type Slot, toSlot } from '@fresnel/domain/primitives';
import { type Logger, reportProgress, Watchdog, whenAborted } from '@fresnel/platform';
import { sleep } from '@fresnel/platform/time';
import { Backpressure, type BackpressureOptions, projectorsOf, proversOf } from './backpressure';
import { BranchSwitcher } from './branch.switcher';
import { type DeadLetterRetrier } from './dead-letter.retrier';
import { IndexRepairer, type RepairParts } from './index.repairer';
import { type IngestMetrics } from './ingest.metrics';
import { type Progress } from './progress';
import { type Correction, PublishedBlocks } from './published-blocks';
import { type ResumePoint } from './resume-point';
import { SlotPublisher } from './slot.publisher';
import { SlotReader } from './slot.reader';
import { SlotReverter } from './slot.reverter';
import { type StoredBlocks } from './stored-blocks';
import { type TreeOperationsRepublisher } from './tree-operations.republisher';
import { type TreeRegistry } from './tree-registry';

/** What ingest works with. */
export interface IngestParts {
  source: BlockSource;
  bus: Bus;
  resumePoint: ResumePoint;
  trees: TreeRegistry;
  parser: TransactionParser;
  progress: Progress;
  logger: Logger;
  metrics: IngestMetrics;
  /** Null if only this ingest publishes. */
  stored: StoredBlocks | null;
  /** Null: dead letters are not retried. */
  retrier: DeadLetterRetrier | null;
  /** Null: operations of trees are not published again. */
  republisher: TreeOperationsRepublisher | null;
}

export interface IngestOptions {
  /** Trees to look up before the first block, also if no transaction names them. */
  preloadedTrees: readonly Pubkey[];
  /** Interval at which the chain tip is published while no block arrives. */
  tipIntervalMs: number;
  /** How far consumers may be behind. */
  backpressure: BackpressureOptions;
  /** Interval at which stored blocks are looked at, to compare them with the chain if they may differ from it. */
  repairIntervalMs: number;
  /** Delay before blocks are requested again after an unproven fork. It doubles with each retry, up to sixteenfold. */
  forkRetryDelayMs: number;
}

const MAX_DELAY_FACTOR = 16;

/**
 * Reads blocks, and publishes their events in chain order.
 *
 * ```
 * resume ──► follow ── unlinked block ──► read finalized chain ──► revert, adopt ──► follow
 *              ▲                                     │ not proven
 *              └──────────────── delay ◄─────────────┘
 * ```
 *
 * Beside that it repairs: dead letters, operations of trees, and blocks that consumers lack or should not have.
 */
export class IngestService {
  private readonly reverter: SlotReverter;
  private readonly switcher: BranchSwitcher;
  private readonly publisher: SlotPublisher;
  private readonly backpressure: Backpressure;
  private readonly repairer: IndexRepairer | null;
  /** A correction that waits for the end of the block in progress. */
  private requested: { correction: Correction; finish: () => void } | null = null;
  /** Ends following, so that a correction can be applied. */
  private interruption: LinkedAbort | null = null;
  /** The published blocks while blocks are published after them. */
  private followed: PublishedBlocks | null = null;
  private markResumed: () => void = () => undefined;
  /** Resolves once the resume point and the trees are known. */
  private readonly resumed = new Promise<void>((resolve) => (this.markResumed = resolve));

  constructor(
    private readonly parts: IngestParts,
    private readonly options: IngestOptions,
  ) {
    const { source, bus, trees, parser, progress, stored, logger, metrics } = parts;
    this.reverter = new SlotReverter(bus, metrics);
    this.switcher = new BranchSwitcher(source, this.reverter, logger, metrics);
    const groups = [projectorsOf(bus), proversOf(bus)];
    this.backpressure = new Backpressure(groups, options.backpressure, logger, metrics);
    this.publisher = new SlotPublisher(source, bus, new SlotReader(trees, parser, metrics), progress, metrics);
    const reader = new SlotReader(trees, parser, metrics);
    const correct: RepairParts['correct'] = (correction, signal) => this.correct(correction, signal);
    const repair = stored && { stored, source, bus, reader, correct };
    this.repairer = repair && new IndexRepairer(repair, options.repairIntervalMs, logger);
  }

  /** Whether nothing is published now because consumers are too far behind. */
  get isWaitingForConsumers(): boolean {
    return this.backpressure.isWaiting;
  }

  /**
   * Publishes until the signal is aborted, or the source ends.
   *
   * @param watchdog watches the loops
   */
  async run(signal: AbortSignal, watchdog = new Watchdog()): Promise<void> {
    const stop = new AbortController();
    const running = AbortSignal.any([signal, stop.signal]);
    const beside = [
      watchdog.watch('The publication of chain tips', () => this.publishTips(running)),
      this.afterResuming(running, 'The retry of dead letters', this.parts.retrier, watchdog),
      this.afterResuming(running, 'The republication of trees', this.parts.republisher, watchdog),
      this.afterResuming(running, 'The repair of the index', this.repairer, watchdog),
      this.afterResuming(running, 'The watch of the logs', { run: (end) => this.watchLogs(end) }, watchdog),
    ];
    for (const task of beside) {
      task.catch(() => {
        stop.abort();
      });
    }
    try {
      await watchdog.watch('The publication of blocks', () => this.publishBlocks(running));
    } catch (error) {
      if (!running.aborted) throw error;
    } finally {
      stop.abort();
      await Promise.all(beside);
    }
  }

  /** Runs a loop once the resume point and the trees are known. */
  private async afterResuming(
    signal: AbortSignal,
    name: string,
    loop: { run(signal: AbortSignal): Promise<void> } | null,
    watchdog: Watchdog,
  ): Promise<void> {
    await Promise.race([this.resumed, whenAborted(signal)]);
    if (loop) await watchdog.watch(name, () => loop.run(signal));
  }

  private async watchLogs(signal: AbortSignal): Promise<void> {
    await this.parts.resumePoint.watch?.(signal);
  }

  /** Publishes the chain tip also while no block arrives, so that consumers can distinguish a chain without blocks from a lost source. */
  private async publishTips(signal: AbortSignal): Promise<void> {
    try {
      for (;;) {
        await sleep(this.options.tipIntervalMs, signal);
        // No block is read while ingest waits, so the source does not see the tip by itself.
        if (this.isWaitingForConsumers) await this.parts.source.findTip(signal);
        await this.publisher.publishTip(this.followed, signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  private async publishBlocks(signal: AbortSignal): Promise<void> {
    const published = await this.resume(signal);
    for (let retries = 0; ;) {
      const { last } = published;
      const unlinked = await this.follow(published, signal);
      if (published.last !== last) retries = 0;
      const { requested } = this;
      const correction =
        requested?.correction ?? (unlinked && (await this.switcher.findCorrection(published, unlinked, signal)));
      if (correction) {
        await this.switcher.apply(published, correction, signal);
        await this.reloadTrees(published, signal);
      } else if (unlinked) await sleep(this.retryDelayMs(retries++), signal);
      else return;
      if (!requested) continue;
      this.requested = null;
      requested.finish();
    }
  }

  /** Has a correction applied between two blocks. Resolves when it is applied, or when the signal aborts. */
  private async correct(correction: Correction, signal: AbortSignal): Promise<void> {
    const applied = new Promise<void>((finish) => (this.requested = { correction, finish }));
    this.interruption?.abort();
    const end = new LinkedAbort(signal);
    await Promise.race([applied, whenAborted(end.signal)]);
    end.abort();
  }

  /** Finds the published blocks and the trees, and has consumers finish reverts that were interrupted. */
  private async resume(signal: AbortSignal): Promise<PublishedBlocks> {
    const chain = await this.parts.source.identify(signal);
    const state = await this.parts.resumePoint.find(chain, signal);
    const published = new PublishedBlocks(state);
    if (published.last) this.parts.metrics.slot.set(published.last.slot);
    await this.parts.trees.load(this.options.preloadedTrees, slotOf(published.last), signal);
    const trees = this.parts.trees.all();
    this.publisher.announceTrees(trees);
    const values = {
      after: published.last?.slot ?? null,
      published: state.published.length,
      partiallyPublished: state.partiallyPublished.length,
      reverted: state.reverted.length,
      trees: trees.length,
    };
    this.parts.logger.info(values, 'ingest starts');
    if (state.reverted.length > 0) await this.reverter.revert(state.reverted, signal);
    this.markResumed();
    return published;
  }

  /**
   * Publishes block after block, until a correction is requested or the source ends.
   *
   * @returns the first block that cannot be published after the last one; null if there is none
   */
  private async follow(published: PublishedBlocks, signal: AbortSignal): Promise<BlockLink | null> {
    if (this.requested) return null;
    const following = (this.interruption = new LinkedAbort(signal));
    this.followed = published;
    try {
      for await (const block of this.parts.source.blocks(published.last, following.signal)) {
        if (!published.isExpected(block) || published.wasReverted(block)) return block;
        await this.backpressure.wait(signal);
        published.add(block, await this.publisher.publishBlock(block, published, signal));
        reportProgress();
        this.switcher.settle();
        if (following.signal.aborted) break;
      }
      return null;
    } catch (error) {
      if (error instanceof ForkError && error.block) return error.block;
      throw error;
    } finally {
      following.abort();
      this.followed = null;
    }
  }

  private async reloadTrees({ last }: PublishedBlocks, signal: AbortSignal): Promise<void> {
    await this.parts.trees.reload(this.options.preloadedTrees, slotOf(last), signal);
    this.publisher.announceTrees(this.parts.trees.all());
  }

  private retryDelayMs(retries: number): number {
    return this.options.forkRetryDelayMs * Math.min(2 ** retries, MAX_DELAY_FACTOR);
  }
}

/** The slot of the last published block; 0 before the first one. */
function slotOf(last: BlockRef | null): Slot {
  return last?.slot ?? toSlot(0);
}
