import { type KafkaSettings, readLast } from '@fresnel/adapters/bus';
import { type BlockRef } from '@fresnel/adapters/chain';
import { SLOT_EVENTS } from '@fresnel/contracts/messages';
import { type ResumePoint } from '@fresnel/features/ingest';
import { type Logger } from '@fresnel/platform';

/** Slots and notes about the chain's tip take turns, so a slot is among so many records. */
const RECORDS_TO_READ = 64;

/**
 * Goes on behind the newest slot that Kafka holds. Slots are published one after the other, each only when the one before
 * is safe and its trees were published, so the newest one stands for all.
 */
export class KafkaResumePoint implements ResumePoint {
  constructor(
    private readonly settings: KafkaSettings,
    private readonly logger: Logger,
  ) {}

  /** Whether the source serves another chain shows at its first block, which then does not follow. */
  async find(): Promise<BlockRef | null> {
    const records = await readLast(this.settings, SLOT_EVENTS, RECORDS_TO_READ, this.logger);
    const slots = records.flatMap(({ message }) => (message.kind === 'slot' ? [message.events] : []));
    if (slots.length === 0) return null;
    return slots.reduce((newest, slot) => (slot.slot > newest.slot ? slot : newest));
  }
}
