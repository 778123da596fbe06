import { type Bus } from '@fresnel/adapters/bus';
import { type BlockSource, ForkError, LinkedAbort } from '@fresnel/adapters/chain';
import { type BlockLink, type BlockRef } from '@fresnel/domain/chain';
import { type Block } from '@fresnel/domain/events';
import { type Pubkey, type Slot, toSlot } from '@fresnel/domain/primitives';
import {
  type Backoff,
  type Logger,
  pauseAfter,
  reportProgress,
  waitForOthers,
  Watchdog,
  whenAborted,
} from '@fresnel/platform';
import { sleep } from '@fresnel/platform/time';
import { type SlotReader } from '../read/slot.reader';
import { Backpressure, type BackpressureOptions, projectorsOf, proversOf } from './backpressure';
import { BranchSwitcher } from './branch.switcher';
import { type FollowMetrics } from './follow.metrics';
import { type Progress } from './progress';
import { type Correction, PublishedBlocks } from './published-blocks';
import { type ResumePoint } from './resume-point';
import { SlotPublisher } from './slot.publisher';
import { SlotReverter } from './slot.reverter';

/** What following a chain requires. */
export interface FollowParts {
  source: BlockSource;
  bus: Bus;
  resumePoint: ResumePoint;
  reader: SlotReader;
  progress: Progress;
  logger: Logger;
  metrics: FollowMetrics;
}

export interface FollowOptions {
  /** Trees to look up before the first block, also if no transaction names them. */
  preloadedTrees: readonly Pubkey[];
  /** Interval at which the chain tip is published while no block arrives. */
  tipIntervalMs: number;
  /** How far consumers may be behind. */
  backpressure: BackpressureOptions;
  /** Nothing is published after the first block at or above this slot; null: everything is. */
  pauseSlot: Slot | null;
  /** The pauses before blocks are requested again after an unproven fork. */
  forkBackoff: Backoff;
}

/**
 * Reads blocks, and publishes their events in chain order. It reads from the stores of consumers only to resume.
 *
 * ```
 * resume ──► follow ── unlinked block ──► read finalized chain ──► revert, adopt ──► follow
 *              ▲                                     │ not proven
 *              └──────────────── delay ◄─────────────┘
 * ```
 */
export class FollowService {
  private readonly reverter: SlotReverter;
  private readonly switcher: BranchSwitcher;
  private readonly publisher: SlotPublisher;
  private readonly backpressure: Backpressure;
  /** A correction that waits for the end of the block in progress. */
  private requested: { correction: Correction; finish: () => void } | null = null;
  /** Ends following, so that a correction can be applied. */
  private interruption: LinkedAbort | null = null;
  /** The published blocks while blocks are published after them. */
  private followed: PublishedBlocks | null = null;
  private isPaused = false;
  private markResumed: () => void = () => undefined;
  /** Resolves once the resume point and the trees are known. */
  readonly resumed = new Promise<void>((resolve) => (this.markResumed = resolve));

  constructor(
    private readonly parts: FollowParts,
    private readonly options: FollowOptions,
  ) {
    const { source, bus, reader, progress, logger, metrics } = parts;
    this.reverter = new SlotReverter(bus, metrics);
    this.switcher = new BranchSwitcher(source, this.reverter, logger, metrics);
    const groups = [projectorsOf(bus), proversOf(bus)];
    this.backpressure = new Backpressure(groups, options.backpressure, logger, metrics);
    this.publisher = new SlotPublisher(source, bus, reader, progress, metrics);
  }

  /** Whether no block is published now, because consumers are too far behind or because of the pause slot. */
  get isHeld(): boolean {
    return this.isPaused || this.backpressure.isWaiting;
  }

  /**
   * Publishes until the signal is aborted, or the source ends.
   *
   * @param watchdog watches its loops
   */
  async run(signal: AbortSignal, watchdog = new Watchdog()): Promise<void> {
    const stop = new AbortController();
    const running = AbortSignal.any([signal, stop.signal]);
    const tips = watchdog.watch('The publication of chain tips', () => this.publishTips(running));
    tips.catch(() => {
      stop.abort();
    });
    try {
      await watchdog.watch('The publication of blocks', () => this.publishBlocks(running));
    } catch (error) {
      if (!running.aborted) throw error;
    } finally {
      stop.abort();
      await tips;
    }
  }

  /** Publishes the chain tip also while no block arrives, so that consumers can distinguish a chain without blocks from a lost source. */
  private async publishTips(signal: AbortSignal): Promise<void> {
    try {
      for (;;) {
        await sleep(this.options.tipIntervalMs, signal);
        // No block is read while ingest waits, so the source does not see the tip by itself.
        if (this.isHeld) await this.parts.source.findTip(signal);
        await this.publisher.publishTip(this.followed, signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** Has a correction applied between two blocks. Resolves when consumers have applied it, or when the signal aborts. */
  async correct(correction: Correction, signal: AbortSignal): Promise<void> {
    const applied = new Promise<void>((finish) => (this.requested = { correction, finish }));
    this.interruption?.abort();
    const end = new LinkedAbort(signal);
    await Promise.race([applied, whenAborted(end.signal)]);
    end.abort();
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
      } else if (unlinked) await sleep(pauseAfter(++retries, this.options.forkBackoff), signal);
      else return;
      if (!requested) continue;
      this.requested = null;
      requested.finish();
    }
  }

  /** Finds the published blocks and the trees, and has consumers finish reverts that were interrupted. */
  private async resume(signal: AbortSignal): Promise<PublishedBlocks> {
    const chain = await this.parts.source.identify(signal);
    const state = await this.parts.resumePoint.find(chain, signal);
    const published = new PublishedBlocks(state);
    if (published.last) this.parts.metrics.slot.set(published.last.slot);
    const { trees } = this.parts.reader;
    await trees.load(this.options.preloadedTrees, slotOf(published.last), signal);
    this.publisher.announceTrees(trees.all());
    const values = {
      after: published.last?.slot ?? null,
      published: state.published.length,
      partiallyPublished: state.partiallyPublished.length,
      reverted: state.reverted.length,
      trees: trees.all().length,
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
      for await (const block of this.blocksAfter(published, following.signal)) {
        if (!published.isExpected(block) || published.wasReverted(block)) return block;
        await this.backpressure.wait(signal);
        published.add(block, await this.publisher.publishBlock(block, published, signal));
        reportProgress();
        this.switcher.settle();
        await this.pause(published, following.signal);
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

  private async *blocksAfter(published: PublishedBlocks, signal: AbortSignal): AsyncIterable<Block> {
    await this.pause(published, signal);
    if (!signal.aborted) yield* this.parts.source.blocks(published.last, signal);
  }

  /** Once the pause slot is reached, waits for the end of following: no fork is switched meanwhile, either. */
  private async pause({ last }: PublishedBlocks, signal: AbortSignal): Promise<void> {
    const { pauseSlot } = this.options;
    if (pauseSlot === null || last === null || last.slot < pauseSlot) return;
    this.parts.logger.info({ slot: last.slot, pauseSlot }, 'ingest pauses');
    this.isPaused = true;
    await waitForOthers(() => whenAborted(signal));
    this.isPaused = false;
  }

  private async reloadTrees({ last }: PublishedBlocks, signal: AbortSignal): Promise<void> {
    const { trees } = this.parts.reader;
    await trees.reload(this.options.preloadedTrees, slotOf(last), signal);
    this.publisher.announceTrees(trees.all());
  }
}

/** The slot of the last published block; 0 before the first one. */
function slotOf(last: BlockRef | null): Slot {
  return last?.slot ?? toSlot(0);
}
