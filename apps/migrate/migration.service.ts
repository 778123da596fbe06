import { createTopics, findMissingTopics, RESET_POSITIONS, topicNameOf } from '@fresnel/adapters/bus';
import { connect, findPositions, migrate, MIGRATION_CONNECTIONS, whileAvailable } from '@fresnel/adapters/store-schema';
import { toKafkaConfig } from '@fresnel/config';
import { FresnelError } from '@fresnel/domain/primitives';
import { CONFIG, LOGGER, type Logger, retryUntilAvailable } from '@fresnel/platform';
import { Inject, Injectable } from '@nestjs/common';
import { type DataSource } from 'typeorm';
import { type AppConfig } from './app.config';
import { CONSUMED_TOPICS } from './consumed-topics';

const HOUR_MS = 3_600_000;

/** The database has positions in topics that do not exist. */
export class LostTopicsError extends FresnelError {
  readonly code = 'lost-topics';
  readonly isRetryable = false;
}

/** Brings the database schema and the Kafka topics up to date. Repeating it changes nothing. */
@Injectable()
export class MigrationService {
  constructor(
    @Inject(CONFIG) private readonly config: AppConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Migrates once Postgres and Kafka can be reached. They may start later than this process.
   *
   * @throws LostTopicsError, TopicMismatchError, errors of a server that a retry does not fix, the signal's reason
   */
  async run(signal: AbortSignal): Promise<void> {
    const options = { signal, logger: this.logger };
    await retryUntilAvailable(
      () =>
        this.onDatabase(async (dataSource) => {
          await this.migrateSchema(dataSource);
          await this.requireKnownTopics(dataSource);
        }),
      options,
    );
    await retryUntilAvailable(() => this.createTopics(), options);
    signal.throwIfAborted();
  }

  /** Runs on a connection to the database. @throws StoreUnavailableError while it is unreachable */
  async onDatabase(act: (dataSource: DataSource) => Promise<void>): Promise<void> {
    const dataSource = await connect({
      url: this.config.DATABASE_URL,
      poolSize: MIGRATION_CONNECTIONS,
      applicationName: 'fresnel-migrate',
    });
    try {
      await whileAvailable(() => act(dataSource));
    } finally {
      await dataSource.destroy();
    }
  }

  async migrateSchema(dataSource: DataSource): Promise<void> {
    const migrations = await migrate(dataSource);
    this.logger.info({ migrations }, 'schema is up to date');
  }

  async createTopics(): Promise<void> {
    const { config } = this;
    const partitions = config.KAFKA_PARTITIONS;
    const retentionMs = config.KAFKA_RETENTION_HOURS * HOUR_MS;
    await createTopics(
      toKafkaConfig(config, 'fresnel-migrate'),
      CONSUMED_TOPICS.map(({ topic }) => ({ topic, partitions, retentionMs })),
      { replicationFactor: config.KAFKA_REPLICATION_FACTOR, minInsyncReplicas: config.KAFKA_MIN_INSYNC_REPLICAS },
      this.logger,
    );
  }

  /** Positions of a lost topic are not valid in a new one. They are reset by a command, because the cluster may be the wrong one. */
  private async requireKnownTopics(dataSource: DataSource): Promise<void> {
    const kafka = toKafkaConfig(this.config, 'fresnel-migrate');
    const topics = CONSUMED_TOPICS.map(({ topic }) => topic);
    const missing = new Set(await findMissingTopics(kafka, topics, this.logger));
    const lost: string[] = [];
    for (const { topic, group } of CONSUMED_TOPICS) {
      const name = topicNameOf(kafka, topic);
      if (!missing.has(name)) continue;
      const positions = await findPositions(dataSource.manager, { consumerGroup: group, topic: name });
      if (positions.size > 0) lost.push(name);
    }
    if (lost.length === 0) return;
    throw new LostTopicsError(
      `the database has positions in ${lost.join(' and ')}, which Kafka does not have: if KAFKA_BROKERS is the right cluster, its records are lost: ${RESET_POSITIONS}`,
    );
  }
}
