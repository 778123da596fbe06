import { FresnelError } from '@fresnel/domain/primitives';

/** Answers would be out of date. The message is a sentence for callers. */
export class IndexerUnhealthyError extends FresnelError {
  readonly code = 'indexer-unhealthy';
  readonly isRetryable = true;
}
