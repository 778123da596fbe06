import { resetLogs, topicNameOf } from '@fresnel/adapters/bus';
import { setPositions, startLogGeneration } from '@fresnel/adapters/store-schema';
import { startTreeGeneration } from '@fresnel/adapters/tree-store';
import { toKafkaConfig } from '@fresnel/config';
import { CONFIG, LOGGER, type Logger, retryUntilAvailable } from '@fresnel/platform';
import { Inject, Injectable } from '@nestjs/common';
import { type DataSource } from 'typeorm';
import { type AppConfig } from './app.config';
import { CONSUMED_TOPICS } from './consumed-topics';
import { MigrationService } from './migration.service';

/** Longer than the interval at which an ingest publishes the chain tip. */
const QUIET_MS = 6_000;

/**
 * Empties the topics, sets the positions of all consumers to their ends, and starts a new generation of each log: consumers skip
 * what a frozen ingest publishes later. Ingest then finds no published block, and continues after the last block that Postgres
 * has. Nothing of the database is deleted apart from the positions.
 *
 * A run that was interrupted can be repeated: until it is complete, consumers fail because their positions are not in the
 * log.
 */
@Injectable()
export class PositionResetService {
  constructor(
    @Inject(CONFIG) private readonly config: AppConfig,
    private readonly migration: MigrationService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * @param quietMs how long nothing may be published before
   * @throws TopicsInUseError while services run, TopicMismatchError, and the errors of a server that is not reachable
   */
  async run(quietMs = QUIET_MS, signal = new AbortController().signal): Promise<void> {
    await this.migration.onDatabase(async (dataSource) => {
      await this.migration.migrateSchema(dataSource);
      await this.migration.createTopics();
      // The partitions of topics that were created just now may have no leader yet.
      await retryUntilAvailable(() => this.reset(dataSource, quietMs), { signal, logger: this.logger });
      signal.throwIfAborted();
    });
  }

  private async reset(dataSource: DataSource, quietMs: number): Promise<void> {
    const kafka = toKafkaConfig(this.config, 'fresnel-migrate');
    this.logger.info({ quietMs }, 'checking that no service uses the topics');
    const ends = await resetLogs(kafka, CONSUMED_TOPICS, quietMs, this.logger);
    await dataSource.transaction(async (manager) => {
      for (const { topic, group } of CONSUMED_TOPICS) {
        const key = { consumerGroup: group, topic: topicNameOf(kafka, topic) };
        await setPositions(manager, key, ends.get(topic.name) ?? new Map());
        const generation = await startLogGeneration(manager, key.topic);
        await startTreeGeneration(manager, { topic: key.topic, generation });
        this.logger.info({ topic: key.topic, generation }, 'the next generation of the log starts');
      }
    });
    this.logger.info('positions are reset: start the services');
  }
}
