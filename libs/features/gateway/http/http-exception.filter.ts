import { type Logger } from '@fresnel/platform';
import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Inject } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { GATEWAY_OPTIONS, type GatewayOptions } from '../gateway.options';
import { GATEWAY_LOGGER } from '../gateway-logger';
import { BROKEN_OFF, FAILED, largeBody, type Refusal, sendRefusal, wrongContent } from './refusal';

/** Answers what goes wrong outside of calls: bodies that cannot be received, and faults of our own. */
@Catch()
export class HttpExceptionFilter implements ExceptionFilter {
  constructor(
    @Inject(GATEWAY_OPTIONS) private readonly options: GatewayOptions,
    @Inject(GATEWAY_LOGGER) private readonly logger: Logger,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const refusal = this.refusalOf(error);
    if (refusal === FAILED) {
      const { id: requestId } = http.getRequest<FastifyRequest>();
      this.logger.error({ requestId, error }, 'request failed');
    }
    sendRefusal(http.getResponse<FastifyReply>(), refusal);
  }

  private refusalOf(error: unknown): Refusal {
    switch (statusOf(error)) {
      case 400:
        return BROKEN_OFF;
      case 413:
        return largeBody(this.options.maxBodyBytes);
      case 415:
        return wrongContent('the content type cannot be read');
      default:
        return FAILED;
    }
  }
}

function statusOf(error: unknown): unknown {
  if (error instanceof HttpException) return error.getStatus();
  return typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : undefined;
}
