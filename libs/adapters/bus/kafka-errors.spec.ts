import { KafkaJSConnectionError, KafkaJSNonRetriableError, KafkaJSProtocolError } from 'kafkajs';
import { isProducerStateError, isPermanentError, isUnknownTopic, TopicMismatchError } from './kafka-errors';

function protocolError(type: string): KafkaJSProtocolError {
  const error = new KafkaJSProtocolError(type);
  return Object.assign(error, { type });
}

const wrapped = (cause: Error) => Object.assign(new KafkaJSNonRetriableError(cause), { cause });

describe('errors of the Kafka client', () => {
  it('are permanent if a retry would be rejected again, at any nesting depth', () => {
    expect(isPermanentError(protocolError('MESSAGE_TOO_LARGE'))).toBe(true);
    expect(isPermanentError(wrapped(wrapped(protocolError('TOPIC_AUTHORIZATION_FAILED'))))).toBe(true);
    expect(isPermanentError(new TopicMismatchError('', { cause: protocolError('UNKNOWN_TOPIC_OR_PARTITION') }))).toBe(
      true,
    );
  });

  it('are permanent if they are bugs', () => {
    expect(isPermanentError(new TypeError('no such property'))).toBe(true);
  });

  it('are retryable otherwise, also when the client has stopped retrying', () => {
    expect(isPermanentError(wrapped(new KafkaJSConnectionError('refused')))).toBe(false);
    expect(isPermanentError(protocolError('NOT_LEADER_FOR_PARTITION'))).toBe(false);
    expect(isPermanentError(protocolError('OUT_OF_ORDER_SEQUENCE_NUMBER'))).toBe(false);
  });

  it('identify an invalid producer state and a missing topic', () => {
    expect(isProducerStateError(wrapped(protocolError('OUT_OF_ORDER_SEQUENCE_NUMBER')))).toBe(true);
    expect(isProducerStateError(new KafkaJSConnectionError('refused'))).toBe(false);
    expect(isUnknownTopic(protocolError('UNKNOWN_TOPIC_OR_PARTITION'))).toBe(true);
  });
});
