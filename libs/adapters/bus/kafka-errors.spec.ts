import { KafkaJSConnectionError, KafkaJSNonRetriableError, KafkaJSProtocolError } from 'kafkajs';
import {
  isKafkaError,
  isProducerStateError,
  isPermanentError,
  isUnknownTopic,
  TopicMismatchError,
} from './kafka-errors';

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

  it('are permanent if the client has no code for the compression of records', () => {
    const error = Object.assign(new KafkaJSNonRetriableError('ZSTD compression not implemented'), {
      name: 'KafkaJSNotImplemented',
    });
    expect(isPermanentError(error)).toBe(true);
    expect(isPermanentError(wrapped(error))).toBe(true);
  });

  it('are retryable if the client fails in its own code, as it does when a connection breaks', () => {
    expect(isPermanentError(new TypeError("Cannot read properties of null (reading 'brokers')"))).toBe(false);
    expect(isPermanentError(new Error('Broker not connected'))).toBe(false);
  });

  it('differ from errors of a handler', () => {
    expect(isKafkaError(wrapped(new KafkaJSConnectionError('refused')))).toBe(true);
    expect(isKafkaError(new TypeError('no such property'))).toBe(false);
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
