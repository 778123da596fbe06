import { FresnelError } from '@fresnel/domain/primitives';

/** The embedded Postgres cannot run. The message says how to fix the problem. */
export class EmbeddedPostgresError extends FresnelError {
  readonly code = 'embedded-postgres';
  readonly isRetryable = false;
}
