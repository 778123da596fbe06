import { type Batch, type Bus, type SizeLimit } from '@fresnel/adapters/bus';
import {
  type IgnoredSlot,
  type PositionKey,
  type ProjectionStore,
  type SlotChange,
  type SlotUpdate,
} from '@fresnel/adapters/store-write';
import { PROJECTOR_GROUP, SLOT_EVENTS, type SlotEventsMessage, FencedError } from '@fresnel/contracts/messages';
import { type BlockRef } from '@fresnel/domain/chain';
import { type BatchHasher, type Pubkey, toBase58 } from '@fresnel/domain/primitives';
import { foldAccounts, type SlotEvents } from '@fresnel/domain/state';
import { inSpan, type Logger } from '@fresnel/platform';
import { type ProjectorMetrics, type ProjectorStage } from './projector.metrics';

/** Maximum records per batch. A batch is a few thousand rows, so that its transaction stays short. */
const MAX_BATCH = 100;

/** About a thousand transactions with compression events, which are a batch's rows. */
const SIZE_LIMIT: SizeLimit<SlotEventsMessage> = {
  max: 8 * 1024 * 1024,
  sizeOf: (message) => SLOT_EVENTS.bytesOf(message),
};

/** Consumes `slot-events`, and stores the facts of each slot in the tables. */
export class ProjectorService {
  /** Keys and epochs of the partitions that this process has claimed. */
  private readonly claims = new Map<number, PositionKey & { epoch: bigint }>();

  constructor(
    private readonly bus: Bus,
    private readonly store: ProjectionStore,
    private readonly hashBatch: BatchHasher,
    private readonly tokenProgram: Pubkey,
    private readonly logger: Logger,
    private readonly metrics: ProjectorMetrics,
  ) {}

  /** Consumes `slot-events` until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const claimPartition = (partition: number, _count: number, topicName: string) =>
      this.claimPartition(partition, topicName);
    const onReleased = (partitions: readonly number[]) => {
      this.release(partitions);
    };
    const onBatch = (batch: Batch<SlotEventsMessage>) => this.persistBatch(batch);
    const onFenced = () => {
      this.metrics.fenced.inc();
    };
    const handlers = { claimPartition, onReleased, onBatch, onFenced };
    try {
      const limits = { maxBatch: MAX_BATCH, sizeLimit: SIZE_LIMIT };
      await this.bus.consume({ group: PROJECTOR_GROUP, topic: SLOT_EVENTS, ...limits, ...handlers }, signal);
    } finally {
      await this.store.waitUntilAdvanced();
    }
  }

  /** @param topicName the topic's name in the cluster: the stored offset belongs to that topic */
  private async claimPartition(partition: number, topicName: string): Promise<bigint | null> {
    const key = { consumerGroup: PROJECTOR_GROUP, topic: topicName, partition };
    const { offset, epoch } = await this.store.claimPosition(key);
    this.claims.set(partition, { ...key, epoch });
    return offset;
  }

  /** A projector without partitions does not learn of newer slots. */
  private release(partitions: readonly number[]): void {
    for (const partition of partitions) this.claims.delete(partition);
    if (this.claims.size > 0) return;
    this.metrics.indexedSlot.remove();
    this.metrics.chainTip.remove();
  }

  private async persistBatch({ partition, from, to, messages, isFollowed }: Batch<SlotEventsMessage>): Promise<void> {
    const slots = await this.measure('fold', () => this.foldAll(messages));
    const tip = messages.findLast((message) => message.kind === 'tip') ?? null;
    const claim = this.claims.get(partition);
    if (claim === undefined) throw new FencedError(`partition ${partition} is not claimed`);
    const position = { ...claim, from, to };
    const { indexedSlot, ignored, reverted } = await this.measure('persist', () =>
      this.store.persistSlots({ slots, chainTip: tip, position, isFollowed }),
    );
    const ignoredUpdates = new Set(ignored.map(({ update }) => update));
    this.reportStored(slots.filter((slot) => 'events' in slot).filter((update) => !ignoredUpdates.has(update)));
    this.reportIgnored(ignored);
    this.reportReverted(reverted);
    if (tip) this.metrics.chainTip.set(tip.slot);
    if (indexedSlot !== null) this.metrics.indexedSlot.set(indexedSlot);
    if (slots.length > 0) this.logger.debug({ slots: slots.length, indexedSlot }, 'slots persisted');
  }

  /** Runs a stage of a batch in a span, and measures it unless it fails. */
  private measure<Result>(stage: ProjectorStage, run: () => Promise<Result>): Promise<Result> {
    return inSpan(stage, {}, async () => {
      const end = this.metrics.stageSeconds.startTimer({ stage });
      const result = await run();
      end();
      return result;
    });
  }

  private async foldAll(messages: readonly SlotEventsMessage[]): Promise<SlotChange[]> {
    const slots: SlotChange[] = [];
    for (const message of messages) slots.push(...(await this.toChanges(message)));
    return slots;
  }

  private async toChanges(message: SlotEventsMessage): Promise<SlotChange[]> {
    switch (message.kind) {
      case 'slot':
        return [await this.fold(message.events)];
      case 'slot-reverted':
        return [{ reverted: { slot: message.slot, blockhash: message.blockhash } }];
      case 'slot-adopted':
        return [{ adopted: { slot: message.slot, blockhash: message.blockhash } }];
      case 'tip':
        return [];
    }
  }

  private async fold(events: SlotEvents): Promise<SlotUpdate> {
    return { events, facts: await foldAccounts(events, this.tokenProgram, this.hashBatch) };
  }

  private reportStored(updates: readonly SlotUpdate[]): void {
    this.metrics.slots.inc(updates.length);
    for (const { events, facts } of updates) {
      this.metrics.created.inc(facts.created.length);
      this.metrics.consumed.inc(facts.consumed.length);
      for (const { signature, index, reasons } of [...events.deadLetters, ...facts.deadLetters]) {
        this.metrics.deadLetters.inc();
        const values = { slot: events.slot, index, signature: signature && toBase58(signature), reasons };
        this.logger.error(values, 'dead letter stored: the transaction could not be decoded completely');
      }
    }
  }

  private reportIgnored(ignored: readonly IgnoredSlot[]): void {
    for (const { update, reason } of ignored) {
      this.metrics.ignored.inc({ reason });
      const values = toLogged(update.events);
      switch (reason) {
        case 'orphaned':
          this.logger.warn(values, 'slot ignored: its block is orphaned');
          break;
        case 'slot-conflict':
          this.logger.error(values, 'slot ignored: another block is stored for the slot and was not reverted');
          break;
        case 'not-on-branch':
          this.logger.warn(values, 'slot ignored: the index has passed it, and its block is not on the indexed branch');
          break;
        case 'conflicting-facts':
          this.logger.error(values, 'slot ignored: its facts conflict with those of a slot that was not reverted');
          break;
      }
    }
  }

  private reportReverted(reverted: readonly BlockRef[]): void {
    this.metrics.reverted.inc(reverted.length);
    for (const block of reverted) this.logger.warn(toLogged(block), 'slot reverted: its block is orphaned');
  }
}

function toLogged({ slot, blockhash }: BlockRef) {
  return { slot, blockhash: toBase58(blockhash) };
}
