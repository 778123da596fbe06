import { type Bus } from '@fresnel/adapters/bus';
import { type BlockSource } from '@fresnel/adapters/chain';
import {
  SLOT_EVENTS,
  type SlotEventsMessage,
  TREE_UPDATES,
  type TreeUpdatesMessage,
} from '@fresnel/contracts/messages';
import { blockLinkOf } from '@fresnel/domain/chain';
import { type Block } from '@fresnel/domain/events';
import { foldTreeChanges, type SlotEvents } from '@fresnel/domain/state';
import { type TreeInfo } from '@fresnel/domain/trees';
import { type IngestMetrics } from './ingest.metrics';
import { type Progress } from './progress';
import { type SlotReader } from './slot.reader';

/** Publishes the events and tree changes of blocks. */
export class SlotPublisher {
  private unannouncedTrees: readonly TreeInfo[] = [];

  constructor(
    private readonly source: BlockSource,
    private readonly bus: Bus,
    private readonly reader: SlotReader,
    private readonly progress: Progress,
    private readonly metrics: IngestMetrics,
  ) {}

  /** Publishes trees with the next block, also if the block does not name them. */
  announceTrees(trees: readonly TreeInfo[]): void {
    this.unannouncedTrees = trees;
  }

  /** @param isFirst whether nothing was published before */
  async publishBlock(block: Block, isFirst: boolean, signal: AbortSignal): Promise<void> {
    const read = await this.reader.read(block, signal);
    const events = { ...read, isFirst, trees: [...new Set([...this.unannouncedTrees, ...read.trees])] };
    await this.publish(events, signal);
    this.unannouncedTrees = [];
    this.metrics.slot.set(events.slot);
    this.progress.advance(events.slot, this.source.tip?.slot ?? events.slot);
  }

  async publishTip(signal: AbortSignal): Promise<void> {
    await this.bus.publish(SLOT_EVENTS, this.tipMessages(), signal);
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
