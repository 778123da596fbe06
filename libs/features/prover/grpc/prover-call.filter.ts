import { toStatus } from '@fresnel/adapters/prover-client';
import { MalformedTextError } from '@fresnel/domain/primitives';
import { type Logger } from '@fresnel/platform';
import { Metadata, status, type StatusObject } from '@grpc/grpc-js';
import { Catch, type RpcExceptionFilter } from '@nestjs/common';
import { type Observable, throwError } from 'rxjs';

/** Maps errors to gRPC statuses. Internal errors are logged, and callers get no details. */
@Catch()
export class ProverCallFilter implements RpcExceptionFilter<unknown> {
  constructor(private readonly logger: Logger) {}

  catch(error: unknown): Observable<never> {
    return throwError(() => this.statusOf(error));
  }

  private statusOf(error: unknown): StatusObject {
    const refused = toStatus(error);
    if (refused) return refused;
    const metadata = new Metadata();
    if (error instanceof MalformedTextError) return { code: status.INVALID_ARGUMENT, details: error.message, metadata };
    this.logger.error({ error }, 'proof call failed');
    return { code: status.INTERNAL, details: 'internal error', metadata };
  }
}
