import { setTimeout as sleep } from 'node:timers/promises';
import { type Topic } from '@fresnel/contracts/messages';
import { type Logger } from '@fresnel/platform';
import { type Bus, type Consumer } from './bus';
import { type KafkaConfig } from './kafka-client';
import { groupNameOf, topicNameOf } from './kafka-names';
import { GroupMembership, type MemberTiming } from './kafka.membership';
import { TopicPublisher } from './kafka.publisher';
import { waitUntilGroupApplied } from './kafka.wait-until-applied';

export interface KafkaBusOptions extends Partial<MemberTiming> {
  config: KafkaConfig;
  log: Logger;
}

const TIMING: MemberTiming = {
  sessionTimeoutMs: 10_000,
  heartbeatIntervalMs: 2_000,
  rebalanceTimeoutMs: 60_000,
  retryPauseMs: 100,
};

/** Pause before a consumer that lost the broker joins again. */
const REJOIN_PAUSE_MS = 1_000;

/** How consumers are watched while somebody waits for them. */
const POLLING = { pollIntervalMs: 250, logIntervalMs: 10_000 };

/**
 * The bus of services that scale apart.
 *
 * Producers wait for a broker that is away, in order. Consumers begin where their own data say, at every assignment;
 * what the group has committed is for tools that show lag, and for producers that wait for it.
 */
export class KafkaBus implements Bus {
  private readonly publishers = new Map<string, TopicPublisher>();

  constructor(private readonly options: KafkaBusOptions) {}

  /** @throws TopicMismatchError where the topic is missing, KafkaRefusalError when the broker will never take a message */
  async publish<Message>(topic: Topic<Message>, messages: readonly Message[], signal: AbortSignal): Promise<void> {
    await this.publisherOf(topicNameOf(this.options.config, topic)).publish(topic, messages, signal);
  }

  /** @throws UnreadableMessageError, TopicMismatchError and KafkaJSError for refusals, besides what the port says */
  async consume<Message>(consumer: Consumer<Message>, signal: AbortSignal): Promise<void> {
    const { config, log, ...timing } = this.options;
    for (;;) {
      const membership = new GroupMembership(config, { ...TIMING, ...timing }, consumer, log);
      const error = await membership.run(signal);
      if (signal.aborted) return;
      log.warn(
        { error, group: membership.group, topic: membership.topicName },
        'consumer lost the broker, joining again',
      );
      await sleep(REJOIN_PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** @throws TopicMismatchError, KafkaJSError for refusals, the signal's reason */
  async waitUntilApplied<Message>(topic: Topic<Message>, group: string, signal: AbortSignal): Promise<void> {
    const { config, log } = this.options;
    const names = { topicName: topicNameOf(config, topic), group: groupNameOf(config, group) };
    await waitUntilGroupApplied(config, { ...names, ...POLLING }, log, signal);
  }

  /** Closes what `publish` opened. Consumers end with their signal. */
  async close(): Promise<void> {
    await Promise.all([...this.publishers.values()].map((publisher) => publisher.close()));
    this.publishers.clear();
  }

  private publisherOf(topicName: string): TopicPublisher {
    let publisher = this.publishers.get(topicName);
    if (!publisher) {
      publisher = new TopicPublisher(this.options.config, topicName, this.options.log);
      this.publishers.set(topicName, publisher);
    }
    return publisher;
  }
}
