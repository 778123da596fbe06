import { setTimeout as sleep } from 'node:timers/promises';
import { type Bus } from '@fresnel/adapters/bus';
import { type BlockRef, type BlockSource } from '@fresnel/adapters/chain';
import {
  SLOT_EVENTS,
  type SlotEventsMessage,
  TREE_UPDATES,
  type TreeUpdatesMessage,
} from '@fresnel/contracts/messages';
import { type Block, type TransactionParser } from '@fresnel/domain/events';
import { type Pubkey } from '@fresnel/domain/primitives';
import { foldTreeChanges, type SlotEvents } from '@fresnel/domain/state';
import { type TreeInfo } from '@fresnel/domain/trees';
import { type Logger } from '@fresnel/platform';
import { type IngestMetrics } from './ingest.metrics';
import { parseSlot } from './parse-slot';
import { type Progress } from './progress';
import { type TreeRegistry } from './tree-registry';

/** Injection token: who knows up to which block everything is published. */
export const RESUME_POINT = Symbol('ResumePoint');

export interface ResumePoint {
  /**
   * The last block that all consumers have, or will get from the bus; null: none.
   *
   * @param chain names the chain that the source serves
   * @throws an error that is not retryable when the consumers hold another chain
   */
  find(chain: string): Promise<BlockRef | null>;
}

export interface IngestOptions {
  /** Looked up before the first block, also where no transaction names them. */
  wantedTrees: readonly Pubkey[];
  /** How often the chain's tip is told while no block comes. */
  tipIntervalMs: number;
}

/** Reads blocks, finds their events, and publishes them in order. */
export class IngestService {
  /** Of the last block, for one that does not know its own. */
  private blockTime = 0;

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
  ) {}

  /** Publishes until the signal says stop, or the source ends. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = new AbortController();
    const running = AbortSignal.any([signal, stop.signal]);
    const tips = this.tellTips(running);
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
  private async tellTips(signal: AbortSignal): Promise<void> {
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
    const chain = await this.source.identify(signal);
    const after = await this.resumePoint.find(chain);
    await this.trees.sync(this.options.wantedTrees, signal);
    this.logger.info({ after: after?.slot ?? null, trees: this.trees.all().length }, 'ingest begins');
    let isFirst = after === null;
    let news: readonly TreeInfo[] = this.trees.all();
    for await (const block of this.source.blocks(after, signal)) {
      await this.publish(await this.read(block, isFirst, news, signal), signal);
      isFirst = false;
      news = [];
    }
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
    await this.bus.publish(TREE_UPDATES, [...updates, { kind: 'slot-reached', slot: events.slot }], signal);
    await this.bus.publish<SlotEventsMessage>(SLOT_EVENTS, [{ kind: 'slot', events }, ...this.tipMessages()], signal);
    this.metrics.slot.set(events.slot);
    this.progress.advance(events.slot, this.source.tip?.slot ?? events.slot);
  }
}
