import { FIRST_GENERATION, type Topic } from '@fresnel/contracts/messages';
import { type Logger } from '@fresnel/platform';
import { sleep } from '@fresnel/platform/time';
import { type Bus, type Consumer } from './bus';
import { type KafkaConfig } from './kafka-client';
import { groupNameOf, topicNameOf } from './kafka-names';
import { findMaxLag } from './kafka.group-lag';
import { ConsumerHealth } from './kafka.consumer-health';
import { type GenerationFinder } from './kafka.generation';
import { GroupMembership, type MemberTiming } from './kafka.membership';
import { TopicPublisher } from './kafka.publisher';
import { waitUntilGroupApplied } from './kafka.wait-until-applied';

export interface KafkaBusOptions extends Partial<MemberTiming> {
  config: KafkaConfig;
  logger: Logger;
  /** Default: positions are never reset. */
  findGeneration?: GenerationFinder;
  /** Called with the number of records of older generations that a consumer has skipped. */
  onSkipped?: (records: number) => void;
}

const SESSION_TIMEOUT_MS = 10_000;
/** So many heartbeats have to be missed before a session ends. */
const HEARTBEATS_PER_SESSION = 5;
const REBALANCE_TIMEOUT_MS = 60_000;
const RETRY_PAUSE_MS = 100;

/** Pause before a consumer that lost its connection rejoins the group. */
const REJOIN_PAUSE_MS = 1_000;

/** How `waitUntilApplied` polls the committed offsets. */
const POLLING = { pollIntervalMs: 250, logIntervalMs: 10_000 };

/**
 * The bus of services that scale independently.
 *
 * Producers wait while the broker is unreachable, and keep the order. At every assignment consumers start at the position
 * that is stored with their data. Offsets committed to Kafka serve lag metrics, and producers that wait for consumers.
 */
export class KafkaBus implements Bus {
  private readonly publishers = new Map<string, TopicPublisher>();
  /** Of the consumers that run. */
  private readonly healths = new Set<ConsumerHealth>();

  private readonly findGeneration: GenerationFinder;

  constructor(private readonly options: KafkaBusOptions) {
    this.findGeneration = options.findGeneration ?? (() => Promise.resolve(FIRST_GENERATION));
  }

  /**
   * @throws TopicMismatchError when the topic is missing, KafkaPermanentError when the broker rejects a message for
   * good
   */
  async publish<Message>(topic: Topic<Message>, messages: readonly Message[], signal: AbortSignal): Promise<void> {
    await this.publisherOf(topicNameOf(this.options.config, topic)).publish(topic, messages, signal);
  }

  /**
   * @throws UnreadableMessageError, TopicMismatchError, and KafkaJSError for permanent errors, besides those of the
   * port
   */
  async consume<Message>(consumer: Consumer<Message>, signal: AbortSignal): Promise<void> {
    const { config, logger, onSkipped = () => undefined, ...timing } = this.options;
    const generations = { find: this.findGeneration, onSkipped };
    const sessionTimeoutMs = timing.sessionTimeoutMs ?? config.sessionTimeoutMs ?? SESSION_TIMEOUT_MS;
    const defaults: MemberTiming = {
      sessionTimeoutMs,
      heartbeatIntervalMs: sessionTimeoutMs / HEARTBEATS_PER_SESSION,
      rebalanceTimeoutMs: REBALANCE_TIMEOUT_MS,
      retryPauseMs: RETRY_PAUSE_MS,
    };
    const health = new ConsumerHealth(groupNameOf(config, consumer.group), sessionTimeoutMs);
    this.healths.add(health);
    try {
      for (;;) {
        const membership = new GroupMembership(
          config,
          { ...defaults, ...timing },
          consumer,
          generations,
          health,
          logger,
        );
        const error = await membership.run(signal);
        if (signal.aborted) return;
        logger.warn(
          { error, group: membership.group, topic: membership.topicName },
          'consumer lost its connection, rejoining the group',
        );
        await sleep(REJOIN_PAUSE_MS, signal).catch(() => undefined);
      }
    } finally {
      this.healths.delete(health);
    }
  }

  /** The reasons why consumers cannot consume: the broker is unreachable, or they are not in their groups. */
  findFaults(): string[] {
    return [...this.healths].flatMap((health) => health.findFaults());
  }

  /** The batches that hang. */
  findStuck(): string[] {
    return [...this.healths].flatMap((health) => health.findStuck());
  }

  /** @throws TopicMismatchError, KafkaJSError for permanent errors, the signal's reason */
  async waitUntilApplied<Message>(topic: Topic<Message>, group: string, signal: AbortSignal): Promise<void> {
    const { config, logger } = this.options;
    const names = { topicName: topicNameOf(config, topic), group: groupNameOf(config, group) };
    await waitUntilGroupApplied(config, { ...names, ...POLLING }, logger, signal);
  }

  /** @throws TopicMismatchError, KafkaJSError for permanent errors, the signal's reason */
  findLag<Message>(topic: Topic<Message>, group: string, signal: AbortSignal): Promise<number> {
    const { config, logger } = this.options;
    const names = { topicName: topicNameOf(config, topic), group: groupNameOf(config, group) };
    return findMaxLag(config, names, logger, signal);
  }

  /** Closes the producers. Consumers end with their signal. */
  async close(): Promise<void> {
    await Promise.all([...this.publishers.values()].map((publisher) => publisher.close()));
    this.publishers.clear();
  }

  private publisherOf(topicName: string): TopicPublisher {
    let publisher = this.publishers.get(topicName);
    if (!publisher) {
      publisher = new TopicPublisher(this.options.config, topicName, this.findGeneration, this.options.logger);
      this.publishers.set(topicName, publisher);
    }
    return publisher;
  }
}
