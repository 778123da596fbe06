import { requireTopics, TopicMismatchError } from '@fresnel/adapters/bus';
import { Database, SchemaBehindError } from '@fresnel/adapters/store-schema';
import { toKafkaConfig } from '@fresnel/config';
import { SLOT_EVENTS, TREE_UPDATES } from '@fresnel/contracts/messages';
import { FresnelError } from '@fresnel/domain/primitives';
import { CONFIG, LOGGER, type Logger, retry } from '@fresnel/platform';
import { Inject, Injectable } from '@nestjs/common';
import { type WaitConfig } from './app.config';

/** How often the schema and the topics are checked. */
const BACKOFF = { firstMs: 1_000, longestMs: 1_000 };

/** Waits until another process has migrated the schema and created the topics. Changes nothing. */
@Injectable()
export class MigrationWaiter {
  constructor(
    @Inject(CONFIG) private readonly config: WaitConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @throws errors that neither time nor a migration fixes, such as a wrong password */
  async run(signal: AbortSignal): Promise<void> {
    const database = Database.create({
      url: this.config.DATABASE_URL,
      poolSize: 1,
      applicationName: 'fresnel-migrate-wait',
    });
    const kafka = toKafkaConfig(this.config, 'fresnel-migrate-wait');
    try {
      await this.retry(() => database.open(), signal);
      await this.retry(() => requireTopics(kafka, [SLOT_EVENTS, TREE_UPDATES], this.logger), signal);
    } finally {
      await database.close();
    }
    if (!signal.aborted) this.logger.info('schema and topics are up to date');
  }

  private async retry(check: () => Promise<void>, signal: AbortSignal): Promise<void> {
    const onFailure = (error: unknown) => {
      if (!isTemporary(error)) throw error;
      this.logger.info({ reason: error.message }, 'waiting for the migration');
    };
    if (signal.aborted) return;
    await retry(check, { backoff: BACKOFF, signal, onFailure }).catch((error: unknown) => {
      if (error !== signal.reason) throw error;
    });
  }
}

function isTemporary(error: unknown): error is FresnelError {
  if (error instanceof SchemaBehindError || error instanceof TopicMismatchError) return true;
  return error instanceof FresnelError && error.isRetryable;
}
