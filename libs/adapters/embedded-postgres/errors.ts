import { FresnelError } from '@fresnel/domain/primitives';

/** The embedded Postgres cannot run here; the message says what to do. */
export class EmbeddedPostgresError extends FresnelError {
  readonly code = 'embedded-postgres';
  readonly isRetryable = false;
}
