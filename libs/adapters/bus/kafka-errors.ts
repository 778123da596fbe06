import { FresnelError } from '@fresnel/domain/primitives';
import { KafkaJSError, KafkaJSProtocolError } from 'kafkajs';

/** The cluster refuses what it is asked for, and would do so again. */
export class KafkaPermanentError extends FresnelError {
  readonly code = 'kafka-refusal';
  readonly isRetryable = false;
}

/** No broker can be reached. */
export class KafkaUnavailableError extends FresnelError {
  readonly code = 'kafka-unavailable';
  readonly isRetryable = true;
}

/** A topic is missing, or not as it has to be; the message says what to do. */
export class TopicMismatchError extends FresnelError {
  readonly code = 'topic-mismatch';
  readonly isRetryable = false;
}

/** Trying again would be answered in the same way. */
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

/** What the broker says when a producer and it count records differently. */
const PRODUCER_STATE_ERRORS = new Set([
  'DUPLICATE_SEQUENCE_NUMBER',
  'INVALID_PRODUCER_EPOCH',
  'INVALID_PRODUCER_ID_MAPPING',
  'OUT_OF_ORDER_SEQUENCE_NUMBER',
  'UNKNOWN_PRODUCER_ID',
]);

/** An answer that says no, or a bug: anything that is not the cluster being away. */
export function isPermanentError(error: unknown): boolean {
  if (error instanceof FresnelError) return !error.isRetryable;
  const causes = listCauses(error);
  if (!causes.some((cause) => cause instanceof KafkaJSError)) return true;
  return causes.some(
    (cause) => PERMANENT_ERRORS.has(typeOf(cause)) || (cause as Error).name === 'KafkaJSSASLAuthenticationError',
  );
}

/** Whether a producer can never go on as it is. */
export function isProducerStateError(error: unknown): boolean {
  return listCauses(error).some((cause) => PRODUCER_STATE_ERRORS.has(typeOf(cause)));
}

/** Whether the broker does not know a topic. */
export function isUnknownTopic(error: unknown): boolean {
  return listCauses(error).some((cause) => typeOf(cause) === 'UNKNOWN_TOPIC_OR_PARTITION');
}

function typeOf(error: unknown): string {
  return error instanceof KafkaJSProtocolError ? error.type : '';
}

/** The client wraps errors in errors. */
function listCauses(error: unknown): unknown[] {
  return error instanceof Error ? [error, ...listCauses(error.cause)] : [];
}
