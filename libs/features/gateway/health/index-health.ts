import { findIndexerStatus, type IndexerStatus, Reader } from '@fresnel/adapters/store-read';
import { FresnelError } from '@fresnel/domain/primitives';
import { HealthChecks, LOGGER, type Logger } from '@fresnel/platform';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { GATEWAY_OPTIONS, type GatewayOptions } from '../gateway.options';
import { withDeadline } from '../responses/deadline';

/** A probe does not wait as long as a call. */
const MAX_TIMEOUT_MS = 3_000;

/** Checks for the readiness of the process whether the index can be read. */
@Injectable()
export class IndexHealth implements OnModuleInit {
  private reading: Promise<IndexerStatus> | null = null;

  constructor(
    @Inject(GATEWAY_OPTIONS) private readonly options: GatewayOptions,
    private readonly reader: Reader,
    private readonly checks: HealthChecks,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.checks.add(() => this.findReasons());
  }

  /** Reads the index. Callers at the same time share one read. @throws StoreUnavailableError, DeadlineExceededError */
  read(): Promise<IndexerStatus> {
    const timeoutMs = Math.min(this.options.GATEWAY_REQUEST_TIMEOUT_MS, MAX_TIMEOUT_MS);
    this.reading ??= withDeadline(findIndexerStatus(this.reader), timeoutMs).finally(() => {
      this.reading = null;
    });
    return this.reading;
  }

  /**
   * Whether the tables can be read. Neither a lag nor a lost node makes a gateway unready, because all gateways have the same one:
   * `getIndexerHealth` and the metrics report it. Does not check the prover: without it all methods but proofs still work.
   */
  private async findReasons(): Promise<string[]> {
    try {
      await this.read();
      return [];
    } catch (error) {
      this.logger.warn({ error }, 'cannot read the indexer status');
      const isUnavailable = error instanceof FresnelError && error.isRetryable;
      return [
        isUnavailable
          ? 'The database does not answer'
          : 'The database schema is not the expected one: run the app "migrate" first',
      ];
    }
  }
}
