import { setTimeout as sleep } from 'node:timers/promises';
import { type Bus } from '@fresnel/adapters/bus';
import { type BlockSource, ForkError } from '@fresnel/adapters/chain';
import { type BlockLink, type BlockRef } from '@fresnel/domain/chain';
import { type TransactionParser } from '@fresnel/domain/events';
import { type Pubkey, type Slot, toSlot } from '@fresnel/domain/primitives';
import { type Logger, whenAborted } from '@fresnel/platform';
import { Backpressure, type BackpressureOptions, projectorsOf, proversOf } from './backpressure';
import { BranchSwitcher } from './branch.switcher';
import { type DeadLetterRetrier } from './dead-letter.retrier';
import { type IngestMetrics } from './ingest.metrics';
import { type Progress } from './progress';
import { PublishedBlocks } from './published-blocks';
import { type ResumePoint } from './resume-point';
import { SlotPublisher } from './slot.publisher';
import { SlotReader } from './slot.reader';
import { SlotReverter } from './slot.reverter';
import { StaleBlockFinder, type StaleBlocks } from './stale-block.finder';
import { type StoredBlocks } from './stored-blocks';
import { type TreeOperationsRepublisher } from './tree-operations.republisher';
import { type TreeRegistry } from './tree-registry';

export interface IngestOptions {
  /** Trees to look up before the first block, also if no transaction names them. */
  preloadedTrees: readonly Pubkey[];
  /** Interval at which the chain tip is published while no block arrives. */
  tipIntervalMs: number;
  /** How far consumers may be behind. */
  backpressure: BackpressureOptions;
  /** Interval at which stored blocks are compared with the chain while the indexed slot does not advance. */
  staleCheckIntervalMs: number;
  /** Delay before blocks are requested again after an unproven fork. It doubles with each retry, up to a hundredfold. */
  forkRetryDelayMs: number;
}

const MAX_DELAY_FACTOR = 100;

/**
 * Reads blocks, and publishes their events in chain order.
 *
 * ```
 * resume ──► follow ── unlinked block ──► find fork point ──► revert ──► follow
 *              ▲                                │ not proven
 *              └─────────── delay ◄─────────────┘
 * ```
 */
export class IngestService {
  private readonly reverter: SlotReverter;
  private readonly switcher: BranchSwitcher;
  private readonly publisher: SlotPublisher;
  private readonly backpressure: Backpressure;
  private readonly staleBlocks: StaleBlockFinder | null;
  /** The published blocks while blocks are published after them. */
  private followed: PublishedBlocks | null = null;
  private markResumed: () => void = () => undefined;
  /** Resolves once the resume point and the trees are known. */
  private readonly resumed = new Promise<void>((resolve) => (this.markResumed = resolve));

  constructor(
    private readonly source: BlockSource,
    bus: Bus,
    private readonly resumePoint: ResumePoint,
    private readonly trees: TreeRegistry,
    parser: TransactionParser,
    progress: Progress,
    private readonly options: IngestOptions,
    private readonly logger: Logger,
    private readonly metrics: IngestMetrics,
    /** Null if only this ingest publishes. */
    stored: StoredBlocks | null = null,
    /** Null: dead letters are not retried. */
    private readonly retrier: DeadLetterRetrier | null = null,
    /** Null: operations of trees are not published again. */
    private readonly republisher: TreeOperationsRepublisher | null = null,
  ) {
    this.reverter = new SlotReverter(bus, metrics);
    this.switcher = new BranchSwitcher(source, this.reverter, logger, metrics);
    const groups = [projectorsOf(bus), proversOf(bus)];
    this.backpressure = new Backpressure(groups, options.backpressure, logger, metrics);
    this.staleBlocks = stored && new StaleBlockFinder(stored, source, options.staleCheckIntervalMs, logger);
    this.publisher = new SlotPublisher(source, bus, new SlotReader(trees, parser, metrics), progress, metrics);
  }

  /** Whether nothing is published now because consumers are too far behind. */
  get isWaitingForConsumers(): boolean {
    return this.backpressure.isWaiting;
  }

  /** Publishes until the signal is aborted, or the source ends. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = new AbortController();
    const running = AbortSignal.any([signal, stop.signal]);
    const beside = [this.publishTips(running), this.retryDeadLetters(running), this.republishTrees(running)];
    for (const task of beside) {
      task.catch(() => {
        stop.abort();
      });
    }
    try {
      await this.publishBlocks(running);
    } catch (error) {
      if (!running.aborted) throw error;
    } finally {
      stop.abort();
      await Promise.all(beside);
    }
  }

  private async retryDeadLetters(signal: AbortSignal): Promise<void> {
    await Promise.race([this.resumed, whenAborted(signal)]);
    await this.retrier?.run(signal);
  }

  private async republishTrees(signal: AbortSignal): Promise<void> {
    await Promise.race([this.resumed, whenAborted(signal)]);
    await this.republisher?.run(signal);
  }

  /** Publishes the chain tip also while no block arrives, so that consumers can distinguish a chain without blocks from a lost source. */
  private async publishTips(signal: AbortSignal): Promise<void> {
    try {
      for (;;) {
        await sleep(this.options.tipIntervalMs, undefined, { signal });
        // No block is read while ingest waits, so the source does not see the tip by itself.
        if (this.isWaitingForConsumers) await this.source.findTip(signal);
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
      const interruption = await this.follow(published, signal);
      if (!interruption) return;
      if (published.last !== last) retries = 0;
      if ('orphaned' in interruption) await this.switcher.revertStale(published, interruption, signal);
      else if (await this.switcher.switchBranch(published, interruption, signal))
        await this.reloadTrees(published, signal);
      else await sleep(this.retryDelayMs(retries++), undefined, { signal });
    }
  }

  /** Finds the published blocks and the trees, and has consumers finish reverts that were interrupted. */
  private async resume(signal: AbortSignal): Promise<PublishedBlocks> {
    const chain = await this.source.identify(signal);
    const state = await this.resumePoint.find(chain, signal);
    const published = new PublishedBlocks(state);
    if (published.last) this.metrics.slot.set(published.last.slot);
    await this.trees.load(this.options.preloadedTrees, slotOf(published.last), signal);
    const trees = this.trees.all();
    this.publisher.announceTrees(trees);
    const values = {
      after: published.last?.slot ?? null,
      published: state.published.length,
      partiallyPublished: state.partiallyPublished.length,
      reverted: state.reverted.length,
      trees: trees.length,
    };
    this.logger.info(values, 'ingest starts');
    if (state.reverted.length > 0) await this.reverter.revert(state.reverted, signal);
    this.markResumed();
    return published;
  }

  /**
   * Publishes block after block.
   *
   * @returns the first block that cannot be published after the last one, or stored blocks that have to be reverted first;
   * null when the source ends
   */
  private async follow(published: PublishedBlocks, signal: AbortSignal): Promise<BlockLink | StaleBlocks | null> {
    this.followed = published;
    try {
      for await (const block of this.source.blocks(published.last, signal)) {
        if (!published.isExpected(block) || published.wasReverted(block)) return block;
        await this.backpressure.wait(signal);
        await this.publisher.publishBlock(block, published, signal);
        published.add(block);
        const stale = await this.staleBlocks?.find(published, signal);
        if (stale) return stale;
      }
      return null;
    } catch (error) {
      if (error instanceof ForkError && error.block) return error.block;
      throw error;
    } finally {
      this.followed = null;
    }
  }

  private async reloadTrees({ last }: PublishedBlocks, signal: AbortSignal): Promise<void> {
    await this.trees.reload(this.options.preloadedTrees, slotOf(last), signal);
    this.publisher.announceTrees(this.trees.all());
  }

  private retryDelayMs(retries: number): number {
    return this.options.forkRetryDelayMs * Math.min(2 ** retries, MAX_DELAY_FACTOR);
  }
}

/** The slot of the last published block; 0 before the first one. */
function slotOf(last: BlockRef | null): Slot {
  return last?.slot ?? toSlot(0);
}
