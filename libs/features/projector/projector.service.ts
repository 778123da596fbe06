import { type Batch, type Bus } from '@fresnel/adapters/bus';
import { type ProjectionStore, type SlotUpdate } from '@fresnel/adapters/store-write';
import { SLOT_EVENTS, type SlotEventsMessage, StalePositionError } from '@fresnel/contracts/messages';
import { type Hasher, type Pubkey, toBase58 } from '@fresnel/domain/primitives';
import { foldAccounts, type SlotEvents } from '@fresnel/domain/state';
import { type Logger } from '@fresnel/platform';
import { type ProjectorMetrics } from './projector.metrics';

/** Under which the projectors share the partitions. */
export const PROJECTOR_GROUP = 'projector';
/** Slots of a batch: a few thousand rows at most, so that a transaction stays short. */
const MAX_BATCH = 100;

/** Writes what slots say into the tables. */
export class ProjectorService {
  /** Of the partitions that this process holds. */
  private readonly epochs = new Map<number, bigint>();

  constructor(
    private readonly bus: Bus,
    private readonly store: ProjectionStore,
    private readonly hasher: Hasher,
    private readonly tokenProgram: Pubkey,
    private readonly logger: Logger,
    private readonly metrics: ProjectorMetrics,
  ) {}

  /** Follows `slot-events` until the signal says stop. */
  async run(signal: AbortSignal): Promise<void> {
    const takePartition = (partition: number) => this.takePartition(partition);
    const onBatch = (batch: Batch<SlotEventsMessage>) => this.persistBatch(batch);
    await this.bus.consume(
      { group: PROJECTOR_GROUP, topic: SLOT_EVENTS, maxBatch: MAX_BATCH, takePartition, onBatch },
      signal,
    );
  }

  private async takePartition(partition: number): Promise<bigint | null> {
    const { offset, epoch } = await this.store.takePosition(keyOf(partition));
    this.epochs.set(partition, epoch);
    return offset;
  }

  private async persistBatch({ partition, from, to, messages }: Batch<SlotEventsMessage>): Promise<void> {
    const slots = messages.flatMap((message) => (message.kind === 'slot' ? [this.fold(message.events)] : []));
    const tip = messages.findLast((message) => message.kind === 'tip') ?? null;
    const epoch = this.epochs.get(partition);
    if (epoch === undefined) throw new StalePositionError(`partition ${partition} was not taken`);
    const position = { ...keyOf(partition), epoch, from, to };
    const { indexedSlot } = await this.store.persistSlots({ slots, chainTip: tip, position });
    this.report(slots, indexedSlot, tip?.slot ?? null);
  }

  private fold(events: SlotEvents): SlotUpdate {
    return { events, facts: foldAccounts(events, this.tokenProgram, this.hasher) };
  }

  private report(slots: readonly SlotUpdate[], indexedSlot: number | null, tip: number | null): void {
    for (const { events, facts } of slots) {
      this.metrics.created.inc(facts.created.length);
      this.metrics.consumed.inc(facts.consumed.length);
      for (const { signature, index, reasons } of [...events.parked, ...facts.parked]) {
        this.metrics.parked.inc();
        const values = { slot: events.slot, index, signature: signature && toBase58(signature), reasons };
        this.logger.error(values, 'transaction parked: it could not be read in whole');
      }
    }
    this.metrics.slots.inc(slots.length);
    if (tip !== null) this.metrics.chainTip.set(tip);
    if (indexedSlot === null) return;
    this.metrics.indexedSlot.set(indexedSlot);
    this.logger.debug({ slots: slots.length, indexedSlot }, 'slots persisted');
  }
}

function keyOf(partition: number) {
  return { consumerGroup: PROJECTOR_GROUP, topic: SLOT_EVENTS.name, partition };
}
