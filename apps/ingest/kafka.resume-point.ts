import { type KafkaConfig, type PublishedRecord, readLast } from '@fresnel/adapters/bus';
import { KAFKA_CONNECTION } from '@fresnel/adapters/bus/nest';
import { SLOT_EVENTS, TREE_UPDATES } from '@fresnel/contracts/messages';
import { PUBLISHED_BLOCK_WINDOW, readResumeState, type ResumePoint, type ResumeState } from '@fresnel/features/ingest';
import { LOGGER, type Logger } from '@fresnel/platform';
import { Inject, Injectable } from '@nestjs/common';

/** Records of slot-events that are read per partition at first. Slots and chain tips alternate, so some of them are slots. */
const SLOT_RECORDS = 64;
/** A halted chain fills one partition with tips. Beyond this limit, a shorter history is accepted. */
const MAX_SLOT_RECORDS = 4_096;
/** Records of tree-updates that are read per partition: more than a fork reverts. */
const TREE_RECORDS = 128;

/**
 * Resumes after the newest slot in Kafka. Ingest publishes a slot only after the tree updates of that slot and all earlier
 * slots are acknowledged, so everything up to the newest slot is complete.
 */
@Injectable()
export class KafkaResumePoint implements ResumePoint {
  constructor(
    @Inject(KAFKA_CONNECTION) private readonly config: KafkaConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Does not compare the chain: the first block of another chain is unlinked, which ingest detects. */
  async find(_chain: string, signal: AbortSignal): Promise<ResumeState> {
    const trees = toMessages(await readLast(this.config, TREE_UPDATES, TREE_RECORDS, this.logger, signal));
    for (let count = SLOT_RECORDS; ; count *= 4) {
      const records = await readLast(this.config, SLOT_EVENTS, count, this.logger, signal);
      const state = readResumeState(toMessages(records), trees);
      if (
        state.published.length === PUBLISHED_BLOCK_WINDOW ||
        areFullyRead(records, count) ||
        count >= MAX_SLOT_RECORDS
      )
        return state;
    }
  }
}

/** Whether every partition was read completely. */
function areFullyRead(records: readonly PublishedRecord<unknown>[], count: number): boolean {
  const read = new Map<number, number>();
  for (const { partition } of records) read.set(partition, (read.get(partition) ?? 0) + 1);
  return [...read.values()].every((each) => each < count);
}

function toMessages<Message>(records: readonly PublishedRecord<Message>[]): Message[] {
  return records.map(({ message }) => message);
}
