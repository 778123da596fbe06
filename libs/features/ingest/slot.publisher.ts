import { type Bus } from '@fresnel/adapters/bus';
import { type BlockSource } from '@fresnel/adapters/chain';
import {
  SLOT_EVENTS,
  type SlotEventsMessage,
  TREE_UPDATES,
  type TreeUpdatesMessage,
} from '@fresnel/contracts/messages';
import { blockLinkOf } from '@fresnel/domain/chain';
import { type Block, type CompressionEvent, type TransactionParser } from '@fresnel/domain/events';
import { keyOf } from '@fresnel/domain/primitives';
import { foldTreeChanges, parseSlot, type SlotEvents } from '@fresnel/domain/state';
import { type TreeInfo } from '@fresnel/domain/trees';
import { type IngestMetrics } from './ingest.metrics';
import { type Progress } from './progress';
import { treeAccountsOf } from './tree-accounts';
import { type ResolvedTrees, type TreeRegistry } from './tree-registry';
import { addUnreadTrees } from './unread-trees';

/** Parses blocks, and publishes their events and tree changes. */
export class SlotPublisher {
  /** Last known block time, used when a block has none. */
  private blockTime = 0;
  private unannouncedTrees: readonly TreeInfo[] = [];

  constructor(
    private readonly source: BlockSource,
    private readonly bus: Bus,
    private readonly trees: TreeRegistry,
    private readonly parser: TransactionParser,
    private readonly progress: Progress,
    private readonly metrics: IngestMetrics,
  ) {}

  /** Publishes trees with the next block, also if the block does not name them. */
  announceTrees(trees: readonly TreeInfo[]): void {
    this.unannouncedTrees = trees;
  }

  /** @param isFirst whether nothing was published before */
  async publishBlock(block: Block, isFirst: boolean, signal: AbortSignal): Promise<void> {
    const events = await this.readEvents(block, isFirst, signal);
    await this.publish(events, signal);
    this.unannouncedTrees = [];
    this.metrics.slot.set(events.slot);
    this.progress.advance(events.slot, this.source.tip?.slot ?? events.slot);
  }

  async publishTip(signal: AbortSignal): Promise<void> {
    await this.bus.publish(SLOT_EVENTS, this.tipMessages(), signal);
  }

  private async readEvents(block: Block, isFirst: boolean, signal: AbortSignal): Promise<SlotEvents> {
    const { blockHeight } = block;
    this.blockTime = block.blockTime ?? this.blockTime;
    const parsed = parseSlot(block, this.blockTime, this.parser);
    const { transactions } = parsed;
    const events = transactions.flatMap((transaction) => transaction.events);
    const resolved = await this.trees.resolve(events, block.slot, signal);
    const deadLetters = addUnreadTrees(parsed.deadLetters, transactions, resolved.unread);
    this.countEvents(block, events, resolved);
    const trees = [...new Set([...this.unannouncedTrees, ...resolved.trees])];
    return { ...blockLinkOf(block), blockTime: this.blockTime, blockHeight, isFirst, transactions, trees, deadLetters };
  }

  private countEvents(block: Block, events: readonly CompressionEvent[], { unread }: ResolvedTrees): void {
    this.metrics.blocks.inc();
    this.metrics.transactions.inc(block.transactions.length);
    for (const event of events) {
      this.metrics.events.inc({ kind: event.kind });
      const accounts = treeAccountsOf(event).filter((account) => !unread.has(keyOf(account)));
      if (!accounts.every((account) => this.trees.has(account))) this.metrics.foreignEvents.inc();
    }
  }

  /** Tree changes go first: when the tables have a slot, its tree changes are in their topic. */
  private async publish(events: SlotEvents, signal: AbortSignal): Promise<void> {
    const updates = foldTreeChanges(events).map((update): TreeUpdatesMessage => ({ kind: 'update', update }));
    const watermark: TreeUpdatesMessage = { kind: 'watermark', ...blockLinkOf(events) };
    await this.bus.publish(TREE_UPDATES, [...updates, watermark], signal);
    await this.bus.publish<SlotEventsMessage>(SLOT_EVENTS, [{ kind: 'slot', events }, ...this.tipMessages()], signal);
  }

  private tipMessages(): SlotEventsMessage[] {
    const { tip } = this.source;
    return tip ? [{ kind: 'tip', ...tip }] : [];
  }
}
