import { createTopics } from '@fresnel/adapters/bus';
import { connect, migrate } from '@fresnel/adapters/store-schema';
import { toKafkaConfig } from '@fresnel/config';
import { SLOT_EVENTS, TREE_UPDATES } from '@fresnel/contracts/messages';
import { CONFIG, LOGGER, type Logger } from '@fresnel/platform';
import { Inject, Injectable } from '@nestjs/common';
import { type AppConfig } from './app.config';

const HOUR_MS = 3_600_000;
/** One connection holds the lock against concurrent migrations, the other runs them. */
const POOL_SIZE = 2;

/** Brings the database schema and the Kafka topics up to date. Repeating it changes nothing. */
@Injectable()
export class MigrationService {
  constructor(
    @Inject(CONFIG) private readonly config: AppConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async run(): Promise<void> {
    await this.migrateSchema();
    await this.createTopics();
  }

  private async migrateSchema(): Promise<void> {
    const options = { url: this.config.DATABASE_URL, poolSize: POOL_SIZE, applicationName: 'fresnel-migrate' };
    const dataSource = await connect(options);
    const migrations = await migrate(dataSource);
    await dataSource.destroy();
    this.logger.info({ migrations }, 'schema is up to date');
  }

  private async createTopics(): Promise<void> {
    const { config } = this;
    const partitions = config.KAFKA_PARTITIONS;
    const retentionMs = config.KAFKA_RETENTION_HOURS * HOUR_MS;
    await createTopics(
      toKafkaConfig(config, 'fresnel-migrate'),
      [
        { topic: SLOT_EVENTS, partitions, retentionMs },
        { topic: TREE_UPDATES, partitions, retentionMs },
      ],
      { replicationFactor: config.KAFKA_REPLICATION_FACTOR, minInsyncReplicas: config.KAFKA_MIN_INSYNC_REPLICAS },
      this.logger,
    );
  }
}
