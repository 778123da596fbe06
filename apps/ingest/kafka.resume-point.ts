import { type KafkaConfig, type PublishedRecord, readLast } from '@fresnel/adapters/bus';
import { KAFKA_CONNECTION } from '@fresnel/adapters/bus/nest';
import { SLOT_EVENTS, TREE_UPDATES } from '@fresnel/contracts/messages';
import { PUBLISHED_BLOCK_WINDOW, readResumeState, type ResumePoint, type ResumeState } from '@fresnel/features/ingest';
import { LOGGER, type Logger } from '@fresnel/platform';
import { Inject, Injectable } from '@nestjs/common';

/** Records of slot-events that are read per partition: enough to find the newest block and recent reverts. */
const SLOT_RECORDS = 64;
/** Records of tree-updates that are read per partition at first: more than a fork reverts. */
const TREE_RECORDS = 128;
/** Slots may have many updates. Beyond this limit, a shorter history is accepted. */
const MAX_TREE_RECORDS = 8_192;

/** Resumes after the newest block in Kafka that is in both topics. */
@Injectable()
export class KafkaResumePoint implements ResumePoint {
  constructor(
    @Inject(KAFKA_CONNECTION) private readonly config: KafkaConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Does not compare the chain: the first block of another chain is unlinked, which ingest detects. */
  async find(_chain: string, signal: AbortSignal): Promise<ResumeState> {
    const slots = toMessages(await readLast(this.config, SLOT_EVENTS, SLOT_RECORDS, this.logger, signal));
    for (let count = TREE_RECORDS; ; count *= 4) {
      const records = await readLast(this.config, TREE_UPDATES, count, this.logger, signal);
      const state = readResumeState(slots, toMessages(records));
      const hasEnough = state.published.length === PUBLISHED_BLOCK_WINDOW || areFullyRead(records, count);
      if (hasEnough || count >= MAX_TREE_RECORDS) return state;
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
