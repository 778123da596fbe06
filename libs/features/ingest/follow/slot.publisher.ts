import { type Bus } from '@fresnel/adapters/bus';
import { type BlockSource, fetchPeriodOf } from '@fresnel/adapters/chain';
import {
  SLOT_EVENTS,
  type SlotEventsMessage,
  TREE_UPDATES,
  type TreeUpdatesMessage,
} from '@fresnel/contracts/messages';
import { isAttested } from '@fresnel/domain/chain';
import { type Block } from '@fresnel/domain/events';
import { changesTrees, foldTreeChanges, type SlotEvents } from '@fresnel/domain/state';
import { type TreeInfo } from '@fresnel/domain/trees';
import { addSpan, inSpan } from '@fresnel/platform';
import { type FollowMetrics } from './follow.metrics';
import { type Progress } from './progress';
import { type SlotReader } from '../read/slot.reader';
import { type PublishedBranch, Watermarks } from './watermarks';

/** Publishes the events and tree changes of blocks. */
export class SlotPublisher {
  private unannouncedTrees: readonly TreeInfo[] = [];
  private readonly watermarks = new Watermarks();
  private isQuiet = false;

  constructor(
    private readonly source: BlockSource,
    private readonly bus: Bus,
    private readonly reader: SlotReader,
    private readonly progress: Progress,
    private readonly metrics: FollowMetrics,
  ) {}

  /** Publishes trees with the next block, also if the block does not name them. */
  announceTrees(trees: readonly TreeInfo[]): void {
    this.unannouncedTrees = trees;
  }

  /**
   * Publishes the child of the last published block, in a span that begins with its fetch.
   *
   * @returns whether it changes a tree
   */
  publishBlock(block: Block, published: PublishedBranch, signal: AbortSignal): Promise<boolean> {
    const fetched = fetchPeriodOf(block);
    const attributes = { 'fresnel.slot': block.slot, 'fresnel.transactions': block.transactionCount };
    return inSpan('slot', { attributes, startedAt: fetched?.startedAt }, () => {
      if (fetched) addSpan('fetch', fetched);
      return this.readAndPublish(block, published, signal);
    });
  }

  private async readAndPublish(block: Block, published: PublishedBranch, signal: AbortSignal): Promise<boolean> {
    this.isQuiet = false;
    const read = await inSpan('decode', {}, () => this.reader.read(block, signal));
    const isFirst = published.blocks.length === 0;
    const trees = [...new Set([...this.unannouncedTrees, ...read.trees])];
    const events = { ...read, isFirst, trees, signatures: block.signatures };
    await inSpan('publish', { kind: 'producer' }, () => this.publish(events, published, signal));
    this.unannouncedTrees = [];
    this.metrics.slot.set(events.slot);
    if (isAttested(block)) this.metrics.historyTransactions.inc(block.transactions.length);
    if (block.attested) this.metrics.historySlot.set(block.slot);
    const progress = { slot: block.slot, isHistory: isAttested(block), transactions: block.transactions.length };
    this.progress.advance(progress, this.source.tip?.slot ?? block.slot);
    return changesTrees(events);
  }

  /**
   * Publishes the chain tip; and a watermark if no block was published since the previous call.
   *
   * @param published null while blocks may have to be reverted
   */
  async publishTip(published: PublishedBranch | null, signal: AbortSignal): Promise<void> {
    if (published && this.isQuiet) {
      await this.publishTreeRecords(this.watermarks.recordsOfSilent(published), signal);
    }
    this.isQuiet = true;
    await this.bus.publish(SLOT_EVENTS, this.tipMessages(), signal);
  }

  /** Tree changes go first: when the tables have a slot, its tree changes are in their topic. */
  private async publish(events: SlotEvents, published: PublishedBranch, signal: AbortSignal): Promise<void> {
    const changes = { updates: foldTreeChanges(events), changesTrees: changesTrees(events) };
    await this.publishTreeRecords(this.watermarks.recordsOf(events, changes, published), signal);
    const previousChange = published.newestChange ?? undefined;
    const slot: SlotEventsMessage = { kind: 'slot', events, isOfRange: false, previousChange };
    await this.bus.publish(SLOT_EVENTS, [slot, ...this.tipMessages()], signal);
  }

  private async publishTreeRecords(records: readonly TreeUpdatesMessage[], signal: AbortSignal): Promise<void> {
    if (records.length > 0) await this.bus.publish(TREE_UPDATES, records, signal);
    const watermark = records.findLast((message) => message.kind === 'watermark');
    if (watermark) this.metrics.watermarkSlot.set(watermark.slot);
  }

  private tipMessages(): SlotEventsMessage[] {
    const { tip } = this.source;
    return tip ? [{ kind: 'tip', ...tip }] : [];
  }
}
