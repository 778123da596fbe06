import { LOGGER, type Logger } from '@fresnel/platform';
import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Inject } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { GATEWAY_OPTIONS, type GatewayOptions } from '../gateway.options';
import {
  bodyTooLarge,
  type ErrorResponse,
  INCOMPLETE_BODY,
  INTERNAL_SERVER_ERROR,
  sendErrorResponse,
  unsupportedMediaType,
} from '../responses/error-response';

/** Answers errors outside of JSON-RPC calls: bodies that cannot be received, and unexpected exceptions. */
@Catch()
export class HttpExceptionFilter implements ExceptionFilter {
  constructor(
    @Inject(GATEWAY_OPTIONS) private readonly options: GatewayOptions,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const response = this.responseTo(error);
    if (response === INTERNAL_SERVER_ERROR) {
      const { id: requestId } = http.getRequest<FastifyRequest>();
      this.logger.error({ requestId, error }, 'request failed');
    }
    sendErrorResponse(http.getResponse<FastifyReply>(), response);
  }

  private responseTo(error: unknown): ErrorResponse {
    switch (statusOf(error)) {
      case 400:
        return INCOMPLETE_BODY;
      case 413:
        return bodyTooLarge(this.options.GATEWAY_MAX_BODY_BYTES);
      case 415:
        return unsupportedMediaType('the content type is malformed');
      default:
        return INTERNAL_SERVER_ERROR;
    }
  }
}

function statusOf(error: unknown): unknown {
  if (error instanceof HttpException) return error.getStatus();
  return typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : undefined;
}
