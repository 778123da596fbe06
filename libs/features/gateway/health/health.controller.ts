import { findIndexerStatus, Reader } from '@fresnel/adapters/store-read';
import { FresnelError } from '@fresnel/domain/primitives';
import { LOGGER, type Logger } from '@fresnel/platform';
import { Controller, Get, HttpStatus, Inject, Res } from '@nestjs/common';
import { type FastifyReply } from 'fastify';
import { GATEWAY_OPTIONS, type GatewayOptions } from '../gateway.options';
import { withDeadline } from '../responses/deadline';
import { unhealthyReasons } from './unhealthy-reasons';

interface Readiness {
  status: 'ready' | 'not-ready';
  reasons?: string[];
}

/** Liveness and readiness probes. */
@Controller('health')
export class HealthController {
  constructor(
    @Inject(GATEWAY_OPTIONS) private readonly options: GatewayOptions,
    private readonly reader: Reader,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Get('live')
  live(): { status: 'live' } {
    return { status: 'live' };
  }

  /** Does not check the prover: without it all methods but proofs still work. */
  @Get('ready')
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<Readiness> {
    const reasons = await this.findReasons();
    if (reasons.length === 0) return { status: 'ready' };
    reply.code(HttpStatus.SERVICE_UNAVAILABLE);
    return { status: 'not-ready', reasons };
  }

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
