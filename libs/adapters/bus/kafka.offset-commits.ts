import { type Logger } from '@fresnel/platform';
import { type Consumer as KafkaConsumer, type EachBatchPayload } from 'kafkajs';

/**
 * Commits the position of a consumer in one partition. Commits are used by lag metrics and by producers that wait for consumers. No
 * consumer starts from them, so a lost one is only reported.
 */
export class OffsetCommits {
  constructor(
    private readonly kafkaConsumer: KafkaConsumer,
    private readonly place: { group: string; topic: string; partition: number },
    private readonly logger: Logger,
  ) {}

  /** Commits after a batch, if the client finds that a commit is due. */
  async commitIfDue(position: bigint | null, payload: EachBatchPayload): Promise<void> {
    const { topic, partition } = this.place;
    await this.attempt(position, (offset) =>
      payload.commitOffsetsIfNecessary({ topics: [{ topic, partitions: [{ partition, offset }] }] }),
    );
  }

  async commit(position: bigint | null): Promise<void> {
    const { topic, partition } = this.place;
    await this.attempt(position, (offset) => this.kafkaConsumer.commitOffsets([{ topic, partition, offset }]));
  }

  private async attempt(position: bigint | null, commit: (offset: string) => Promise<void>): Promise<void> {
    if (position === null) return;
    try {
      await commit(String(position));
    } catch (error) {
      this.logger.debug({ error, ...this.place }, 'offset was not committed');
    }
  }
}
