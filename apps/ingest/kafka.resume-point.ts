import { type KafkaConfig, type PublishedRecord, readLast } from '@fresnel/adapters/bus';
import { SLOT_EVENTS, TREE_UPDATES } from '@fresnel/contracts/messages';
import { PUBLISHED_BLOCK_WINDOW, readResumeState, type ResumePoint, type ResumeState } from '@fresnel/features/ingest';
import { type Logger } from '@fresnel/platform';

/** Of each partition at first. Slots and notes about the chain's tip take turns, so slots are among so many records. */
const SLOT_RECORDS = 64;
/** While a chain stands still, notes pile up in one partition; beyond so many a shorter history has to do. */
const MOST_SLOT_RECORDS = 4_096;
/** Of each partition; more than a fork takes back. */
const TREE_RECORDS = 128;

/**
 * Goes on behind the newest slot that Kafka holds. Slots are published one after the other, each only when the one before
 * is safe and its trees were published, so the newest one stands for all.
 */
export class KafkaResumePoint implements ResumePoint {
  constructor(
    private readonly config: KafkaConfig,
    private readonly logger: Logger,
  ) {}

  /** Whether the source serves another chain shows at its first block, which then does not follow. */
  async find(_chain: string, signal: AbortSignal): Promise<ResumeState> {
    const trees = toMessages(await readLast(this.config, TREE_UPDATES, TREE_RECORDS, this.logger, signal));
    for (let count = SLOT_RECORDS; ; count *= 4) {
      const records = await readLast(this.config, SLOT_EVENTS, count, this.logger, signal);
      const state = readResumeState(toMessages(records), trees);
      if (state.published.length === PUBLISHED_BLOCK_WINDOW || isAll(records, count) || count >= MOST_SLOT_RECORDS)
        return state;
    }
  }
}

/** Whether no partition holds more than was read of it. */
function isAll(records: readonly PublishedRecord<unknown>[], count: number): boolean {
  const read = new Map<number, number>();
  for (const { partition } of records) read.set(partition, (read.get(partition) ?? 0) + 1);
  return [...read.values()].every((each) => each < count);
}

function toMessages<Message>(records: readonly PublishedRecord<Message>[]): Message[] {
  return records.map(({ message }) => message);
}
