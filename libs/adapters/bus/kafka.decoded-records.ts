import { type KafkaMessage } from 'kafkajs';
import { type Consumer } from './bus';
import { decodeRecord, type RecordPlace } from './kafka-record';
import { prepareMessages } from './prepare-messages';

/** Decodes the records of a partition, at most one batch of them ahead. */
export class DecodedRecords<Message> {
  private ahead = new Map<KafkaMessage, Message>();

  constructor(
    private readonly consumer: Consumer<Message>,
    private readonly place: RecordPlace,
  ) {}

  /** @throws UnreadableMessageError */
  decode(record: KafkaMessage): Message {
    return this.ahead.get(record) ?? decodeRecord(this.consumer.topic, this.place, record);
  }

  /** Lets the consumer prepare the first of the records that follow a batch. */
  async prepare(records: readonly KafkaMessage[]): Promise<void> {
    if (!this.consumer.prepare) return;
    const ahead = new Map<KafkaMessage, Message>();
    try {
      for (const record of records.slice(0, this.consumer.maxBatch)) ahead.set(record, this.decode(record));
    } catch {
      // The batch of an unreadable record fails.
    }
    this.ahead = ahead;
    if (ahead.size > 0) await prepareMessages(this.consumer, [...ahead.values()]);
  }
}
