import { topicNameOf } from '@fresnel/adapters/bus';
import { type KafkaConnection } from '@fresnel/adapters/bus/nest';
import { type Database } from '@fresnel/adapters/store-schema';
import { FIRST_GENERATION, SLOT_EVENTS, TREE_UPDATES } from '@fresnel/contracts/messages';
import { FresnelError } from '@fresnel/domain/primitives';
import { type Logger, retryUntilAvailable } from '@fresnel/platform';
import { sleep } from '@fresnel/platform/time';

/** Interval at which the generations of the logs are compared. */
const WATCH_MS = 2_000;

/** Positions were reset while this ingest was frozen: consumers skip what it publishes. */
export class OutdatedIngestError extends FresnelError {
  readonly code = 'outdated-ingest';
  readonly isRetryable = false;
}

/** Watches that consumers read the logs from which this ingest has resumed. */
export class LogWatcher {
  constructor(
    private readonly kafka: KafkaConnection,
    private readonly database: Pick<Database, 'findLogGenerations'>,
    private readonly logger: Logger,
  ) {}

  /** Watches until the signal aborts. @throws OutdatedIngestError once positions are reset: the ingest has to resume again */
  async run(signal: AbortSignal): Promise<void> {
    const { logger } = this;
    while (!signal.aborted) {
      await retryUntilAvailable(() => this.requirePresentLogs(), { signal, logger });
      await sleep(WATCH_MS, signal).catch(() => undefined);
    }
  }

  private async requirePresentLogs(): Promise<void> {
    const generations = await this.database.findLogGenerations();
    for (const topic of [SLOT_EVENTS, TREE_UPDATES]) {
      const name = topicNameOf(this.kafka, topic);
      const [present, joined] = [generations.get(name) ?? FIRST_GENERATION, await this.kafka.findGeneration(name)];
      if (present <= joined) continue;
      const facts = `this ingest publishes for generation ${joined} of ${name}, but positions were reset, and the log has generation ${present}`;
      throw new OutdatedIngestError(`${facts}: ingest has to start again`);
    }
  }
}
