import { FencedError } from '@fresnel/contracts/messages';
import { FresnelError } from '@fresnel/domain/primitives';
import { KafkaJSError, KafkaJSProtocolError } from 'kafkajs';

/** What an operator does when records are lost. */
export const RESET_POSITIONS = 'stop all services and run "migrate reset-positions" (docs/recovery.md has the details)';

/** The cluster rejected a request, and would reject it again. */
export class KafkaPermanentError extends FresnelError {
  readonly code = 'kafka-permanent';
  readonly isRetryable = false;
}

/** No broker can be reached. */
export class KafkaUnavailableError extends FresnelError {
  readonly code = 'kafka-unavailable';
  readonly isRetryable = true;
}

/** A topic is missing or has another layout than required. The message says what to do. */
export class TopicMismatchError extends FresnelError {
  readonly code = 'topic-mismatch';
  readonly isRetryable = false;
}

/** Error types that a retry cannot fix. */
const PERMANENT_ERRORS = new Set([
  'CLUSTER_AUTHORIZATION_FAILED',
  'GROUP_AUTHORIZATION_FAILED',
  'INCONSISTENT_GROUP_PROTOCOL',
  'INVALID_GROUP_ID',
  'INVALID_RECORD',
  'INVALID_REQUIRED_ACKS',
  'INVALID_SESSION_TIMEOUT',
  'INVALID_TOPIC_EXCEPTION',
  'MESSAGE_TOO_LARGE',
  'POLICY_VIOLATION',
  'RECORD_LIST_TOO_LARGE',
  'SASL_AUTHENTICATION_FAILED',
  'TOPIC_AUTHORIZATION_FAILED',
  'UNSUPPORTED_COMPRESSION_TYPE',
  'UNSUPPORTED_SASL_MECHANISM',
  'UNSUPPORTED_VERSION',
]);

/** Error types of a broker whose sequence number for a producer differs from the producer's own. */
const PRODUCER_STATE_ERRORS = new Set([
  'DUPLICATE_SEQUENCE_NUMBER',
  'INVALID_PRODUCER_EPOCH',
  'INVALID_PRODUCER_ID_MAPPING',
  'OUT_OF_ORDER_SEQUENCE_NUMBER',
  'UNKNOWN_PRODUCER_ID',
]);

/**
 * Whether no retry of an operation of the client can help: the broker rejected it. False while the cluster is unreachable,
 * and for an error that is not one of Kafka: when a connection breaks, the client may fail with `TypeError: Cannot read
 * properties of null` or `Broker not connected` (https://github.com/tulios/kafkajs/issues/1441).
 */
export function isPermanentError(error: unknown): boolean {
  if (error instanceof FresnelError) return !error.isRetryable;
  if (isUnreadableCompression(error)) return true;
  return listCauses(error).some(
    (cause) => PERMANENT_ERRORS.has(typeOf(cause)) || (cause as Error).name === 'KafkaJSSASLAuthenticationError',
  );
}

/** Whether records have a compression that the client has no code for: zstd, lz4 or snappy. */
export function isUnreadableCompression(error: unknown): boolean {
  return listCauses(error).some((cause) => (cause as Error).name === 'KafkaJSNotImplemented');
}

/** Whether an error comes from the client, and is not one of the errors that it should not throw. */
export function isKafkaError(error: unknown): boolean {
  return listCauses(error).some((cause) => cause instanceof KafkaJSError);
}

/**
 * Whether a retry can help a consumer: an unreachable store or broker, or a partition that is being reassigned. Other errors of a
 * handler are bugs.
 */
export function isTransient(error: unknown): boolean {
  if (error instanceof FresnelError) return error.isRetryable || error instanceof FencedError;
  return isKafkaError(error) && !isPermanentError(error);
}

/** Whether the producer has to be replaced by a new one. */
export function isProducerStateError(error: unknown): boolean {
  return listCauses(error).some((cause) => PRODUCER_STATE_ERRORS.has(typeOf(cause)));
}

/** Whether the broker reports that a topic does not exist. */
export function isUnknownTopic(error: unknown): boolean {
  return listCauses(error).some((cause) => typeOf(cause) === 'UNKNOWN_TOPIC_OR_PARTITION');
}

function typeOf(error: unknown): string {
  return error instanceof KafkaJSProtocolError ? error.type : '';
}

/** The client nests errors as causes. */
function listCauses(error: unknown): unknown[] {
  return error instanceof Error ? [error, ...listCauses(error.cause)] : [];
}
