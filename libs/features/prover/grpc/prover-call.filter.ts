import { toStatus } from '@fresnel/adapters/prover-client';
import { MalformedTextError } from '@fresnel/domain/primitives';
import { LOGGER, type Logger } from '@fresnel/platform';
import { Metadata, status, type StatusObject } from '@grpc/grpc-js';
import { type ArgumentsHost, Catch, Inject, type RpcExceptionFilter } from '@nestjs/common';
import { type Observable, throwError } from 'rxjs';
import { requestIdOf } from './request-id';

/** Maps errors to gRPC statuses. Internal errors are logged, and callers get no details. */
@Catch()
export class ProverCallFilter implements RpcExceptionFilter<unknown> {
  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  catch(error: unknown, host: ArgumentsHost): Observable<never> {
    const requestId = requestIdOf(host.switchToRpc().getContext<Metadata>());
    return throwError(() => this.statusOf(error, requestId));
  }

  private statusOf(error: unknown, requestId: string | undefined): StatusObject {
    const refused = toStatus(error);
    if (refused) return refused;
    const metadata = new Metadata();
    if (error instanceof MalformedTextError) return { code: status.INVALID_ARGUMENT, details: error.message, metadata };
    this.logger.error({ requestId, error }, 'proof call failed');
    return { code: status.INTERNAL, details: 'internal error', metadata };
  }
}
