import { setTimeout as sleep } from 'node:timers/promises';
import { type Bus } from '@fresnel/adapters/bus';
import { type BlockSource, ForkError } from '@fresnel/adapters/chain';
import {
  SLOT_EVENTS,
  type SlotEventsMessage,
  type SlotReverted,
  TREE_UPDATES,
  type TreeUpdatesMessage,
} from '@fresnel/contracts/messages';
import { type BlockLink, type BlockRef } from '@fresnel/domain/chain';
import { type Block, type TransactionParser } from '@fresnel/domain/events';
import { type Pubkey, toBase58 } from '@fresnel/domain/primitives';
import { foldTreeChanges, type SlotEvents } from '@fresnel/domain/state';
import { type TreeInfo } from '@fresnel/domain/trees';
import { type Logger } from '@fresnel/platform';
import { PublishedBlocks } from './published-blocks';
import { type IngestMetrics } from './ingest.metrics';
import { parseSlot } from './parse-slot';
import { type Progress } from './progress';
import { MAX_FORK_DEPTH, type ResumePoint } from './resume-point';
import { SlotReverter } from './slot.reverter';
import { type TreeRegistry } from './tree-registry';

export interface IngestOptions {
  /** Looked up before the first block, also where no transaction names them. */
  preloadedTrees: readonly Pubkey[];
  /** How often the chain's tip is told while no block comes. */
  tipIntervalMs: number;
  /** Pause before a source that contradicts itself is asked again, doubled each time up to a hundredfold. */
  forkRetryDelayMs: number;
}

/**
 * Reads blocks, finds their events, and publishes them in order.
 *
 * ```
 * resume ──► follow ── a block does not follow the last one ──► its ancestors ──► revert ──► follow
 *              ▲                                                    │ not proved
 *              └──────────────────── pause ◄────────────────────────┘
 * ```
 */
export class IngestService {
  /** Of the last block, for one that does not know its own. */
  private blockTime = 0;
  /** Trees that consumers do not know yet. */
  private unannouncedTrees: readonly TreeInfo[] = [];
  private readonly reverter: SlotReverter;

  constructor(
    private readonly source: BlockSource,
    private readonly bus: Bus,
    private readonly resumePoint: ResumePoint,
    private readonly trees: TreeRegistry,
    private readonly parser: TransactionParser,
    private readonly progress: Progress,
    private readonly options: IngestOptions,
    private readonly logger: Logger,
    private readonly metrics: IngestMetrics,
  ) {
    this.reverter = new SlotReverter(bus, metrics);
  }

  /** Publishes until the signal says stop, or the source ends. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = new AbortController();
    const running = AbortSignal.any([signal, stop.signal]);
    const tips = this.publishTips(running);
    tips.catch(() => {
      stop.abort();
    });
    try {
      await this.publishBlocks(running);
    } catch (error) {
      if (!running.aborted) throw error;
    } finally {
      stop.abort();
      await tips;
    }
  }

  /** Tells the chain's tip also while no block comes, so that a quiet chain is not taken for a lost one. */
  private async publishTips(signal: AbortSignal): Promise<void> {
    try {
      for (;;) {
        await sleep(this.options.tipIntervalMs, undefined, { signal });
        await this.bus.publish(SLOT_EVENTS, this.tipMessages(), signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  private tipMessages(): SlotEventsMessage[] {
    const { tip } = this.source;
    return tip ? [{ kind: 'tip', ...tip }] : [];
  }

  private async publishBlocks(signal: AbortSignal): Promise<void> {
    const held = await this.resume(signal);
    for (let doubts = 0; ;) {
      const { last } = held;
      const stray = await this.follow(held, signal);
      if (!stray) return;
      if (held.last !== last) doubts = 0;
      if (!(await this.changeBranch(held, stray, signal))) {
        await sleep(this.options.forkRetryDelayMs * Math.min(2 ** doubts++, 100), undefined, { signal });
      }
    }
  }

  /** Finds out what consumers have, and has them finish what was begun. */
  private async resume(signal: AbortSignal): Promise<PublishedBlocks> {
    const chain = await this.source.identify(signal);
    const state = await this.resumePoint.find(chain, signal);
    const held = new PublishedBlocks(state);
    const { published, partiallyPublished, reverted } = state;
    await this.trees.load(this.options.preloadedTrees, signal);
    this.unannouncedTrees = this.trees.all();
    const after = held.last?.slot ?? null;
    const values = {
      after,
      held: published.length,
      partiallyPublished: partiallyPublished.length,
      reverted: reverted.length,
    };
    this.logger.info({ ...values, trees: this.unannouncedTrees.length }, 'ingest begins');
    if (reverted.length > 0) await this.reverter.revert(reverted, signal);
    return held;
  }

  /**
   * Publishes block after block.
   *
   * @returns the first that cannot be published as things are; null when the source ends
   */
  private async follow(held: PublishedBlocks, signal: AbortSignal): Promise<BlockLink | null> {
    try {
      for await (const block of this.source.blocks(held.last, signal)) {
        if (!held.isExpected(block) || held.wasReverted(block)) return block;
        await this.publish(await this.read(block, held.last === null, this.unannouncedTrees, signal), signal);
        held.add(block);
        this.unannouncedTrees = [];
      }
      return null;
    } catch (error) {
      if (error instanceof ForkError && error.block) return error.block;
      throw error;
    }
  }

  /**
   * Has consumers take back what the chain left.
   *
   * @param stray the block that cannot be published
   * @returns whether the source proved that it did
   * @throws ForkError when the chain went on from too old a block, or from one that it had left
   */
  private async changeBranch(held: PublishedBlocks, stray: BlockLink, signal: AbortSignal): Promise<boolean> {
    if (held.wasReverted(stray)) {
      if (await this.source.has(stray, signal)) throw readoptedBlockError(stray);
      this.logger.warn({ slot: stray.slot }, 'a block came that the chain has left: asking again');
      return false;
    }
    const goesOnFrom = await this.source.findForkPoint(held.all, stray, signal);
    if (!goesOnFrom) return false;
    const abandoned = held.blocksAfter(goesOnFrom);
    const depth = abandoned.length;
    if (depth === 0) return false;
    const values = { depth, from: abandoned[0].slot, to: goesOnFrom.slot, stray: stray.slot };
    if (depth > MAX_FORK_DEPTH) throw forkTooDeepError(values);
    this.logger.warn(values, 'the chain left blocks that are published: they are taken back');
    const reverted = abandoned.map(({ slot, blockhash }) => toReverted({ slot, blockhash }, goesOnFrom));
    await this.reverter.revert(reverted, signal);
    held.revertTo(goesOnFrom);
    await this.trees.reload(this.options.preloadedTrees, signal);
    this.unannouncedTrees = this.trees.all();
    this.metrics.forks.inc();
    this.metrics.slot.set(goesOnFrom.slot);
    this.logger.info(values, 'consumers have taken the blocks back');
    return true;
  }

  /** @param news trees that consumers do not know yet */
  private async read(
    block: Block,
    isFirst: boolean,
    news: readonly TreeInfo[],
    signal: AbortSignal,
  ): Promise<SlotEvents> {
    this.blockTime = block.blockTime ?? this.blockTime;
    const { transactions, parked } = parseSlot(block, this.blockTime, this.parser);
    const events = transactions.flatMap((transaction) => transaction.events);
    const named = await this.trees.resolve(events, signal);
    this.metrics.blocks.inc();
    this.metrics.transactions.inc(block.transactions.length);
    for (const { kind } of events) this.metrics.events.inc({ kind });
    return {
      slot: block.slot,
      parentSlot: block.parentSlot,
      blockhash: block.blockhash,
      parentBlockhash: block.parentBlockhash,
      blockTime: this.blockTime,
      blockHeight: block.blockHeight,
      isFirst,
      transactions,
      trees: [...new Set([...news, ...named])],
      parked,
    };
  }

  /** Trees first: a proof may then be ahead of the tables, but never behind what its own slot says. */
  private async publish(events: SlotEvents, signal: AbortSignal): Promise<void> {
    const updates = foldTreeChanges(events).map((update): TreeUpdatesMessage => ({ kind: 'update', update }));
    const { slot, blockhash, parentBlockhash } = events;
    const reached: TreeUpdatesMessage = { kind: 'slot-reached', slot, blockhash, parentBlockhash };
    await this.bus.publish(TREE_UPDATES, [...updates, reached], signal);
    await this.bus.publish<SlotEventsMessage>(SLOT_EVENTS, [{ kind: 'slot', events }, ...this.tipMessages()], signal);
    this.metrics.slot.set(events.slot);
    this.progress.advance(events.slot, this.source.tip?.slot ?? events.slot);
  }
}

function toReverted({ slot, blockhash }: BlockRef, goesOnFrom: BlockRef): SlotReverted {
  return { kind: 'slot-reverted', slot, blockhash, goesOnFrom };
}

const REBUILD_INDEX = 'index anew from an empty database, empty topics and an empty Redis';

function forkTooDeepError({ depth, from, to }: { depth: number; from: number; to: number }): ForkError {
  const found = `the chain left ${depth} published blocks, from slot ${from} back to ${to}`;
  return new ForkError(`${found}, and no more than ${MAX_FORK_DEPTH} can be taken back: ${REBUILD_INDEX}`);
}

function readoptedBlockError({ slot, blockhash }: BlockRef): ForkError {
  const found = `the chain came back to block ${slot} (${toBase58(blockhash)}), which it had left`;
  return new ForkError(`${found}; consumers have forgotten it for good: ${REBUILD_INDEX}`);
}
