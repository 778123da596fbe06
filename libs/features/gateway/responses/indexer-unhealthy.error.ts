import { FresnelError } from '@fresnel/domain/primitives';

/** The index is out of date. The message is a sentence for the caller. */
export class IndexerUnhealthyError extends FresnelError {
  readonly code = 'indexer-unhealthy';
  readonly isRetryable = true;
}
