import { findIndexerStatus, Reader } from '@fresnel/adapters/store-read';
import { FresnelError } from '@fresnel/domain/primitives';
import { type Logger } from '@fresnel/platform';
import { Controller, Get, HttpStatus, Inject, Res } from '@nestjs/common';
import { type FastifyReply } from 'fastify';
import { GATEWAY_OPTIONS, type GatewayOptions } from '../gateway.options';
import { GATEWAY_LOGGER } from '../gateway-logger';
import { withDeadline } from '../rpc/deadline';
import { findFaults } from './find-faults';

interface Readiness {
  status: 'ready' | 'not-ready';
  reasons?: string[];
}

/** For whoever decides whether this process gets requests, or is to be started again. */
@Controller('health')
export class HealthController {
  constructor(
    @Inject(GATEWAY_OPTIONS) private readonly options: GatewayOptions,
    private readonly reader: Reader,
    @Inject(GATEWAY_LOGGER) private readonly logger: Logger,
  ) {}

  @Get('live')
  live(): { status: 'live' } {
    return { status: 'live' };
  }

  /** The prover does not count: without it all but proofs are still answered. */
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
      return findFaults(status, this.options, Date.now());
    } catch (error) {
      this.logger.warn({ error }, 'the database gives no status');
      const isAway = error instanceof FresnelError && error.isRetryable;
      return [isAway ? 'The database does not answer' : 'The database is not as expected: run the app "migrate" first'];
    }
  }
}
