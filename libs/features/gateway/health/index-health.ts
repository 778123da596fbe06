import { findIndexerStatus, Reader } from '@fresnel/adapters/store-read';
import { FresnelError } from '@fresnel/domain/primitives';
import { HealthChecks, LOGGER, type Logger } from '@fresnel/platform';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { GATEWAY_OPTIONS, type GatewayOptions } from '../gateway.options';
import { withDeadline } from '../responses/deadline';
import { unhealthyReasons } from './unhealthy-reasons';

/** Checks for the readiness of the process whether the index can be read and is up to date. */
@Injectable()
export class IndexHealth implements OnModuleInit {
  constructor(
    @Inject(GATEWAY_OPTIONS) private readonly options: GatewayOptions,
    private readonly reader: Reader,
    private readonly checks: HealthChecks,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.checks.add(() => this.findReasons());
  }

  /** Does not check the prover: without it all methods but proofs still work. */
  private async findReasons(): Promise<string[]> {
    try {
      const status = await withDeadline(findIndexerStatus(this.reader), this.options.requestTimeoutMs);
      return unhealthyReasons(status, this.options, Date.now());
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
