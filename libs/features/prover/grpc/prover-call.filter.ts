import { toStatus } from '@fresnel/adapters/prover-client';
import { MalformedTextError } from '@fresnel/domain/primitives';
import { type Logger } from '@fresnel/platform';
import { Metadata, status, type StatusObject } from '@grpc/grpc-js';
import { Catch, type RpcExceptionFilter } from '@nestjs/common';
import { type Observable, throwError } from 'rxjs';

/** Ends a call with the status of what went wrong. What is not the caller's business stays in the log. */
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
    this.logger.error({ error }, 'a call for proofs failed');
    return { code: status.INTERNAL, details: 'internal error', metadata };
  }
}
