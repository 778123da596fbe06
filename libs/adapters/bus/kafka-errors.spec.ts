import { KafkaJSConnectionError, KafkaJSNonRetriableError, KafkaJSProtocolError } from 'kafkajs';
import { hasLostCount, isRefusal, isUnknownTopic, TopicMismatchError } from './kafka-errors';

function protocolError(type: string): KafkaJSProtocolError {
  const error = new KafkaJSProtocolError(type);
  return Object.assign(error, { type });
}

const wrapped = (cause: Error) => Object.assign(new KafkaJSNonRetriableError(cause), { cause });

describe('errors of the Kafka client', () => {
  it('are refusals where the broker would say no again, however deep they are wrapped', () => {
    expect(isRefusal(protocolError('MESSAGE_TOO_LARGE'))).toBe(true);
    expect(isRefusal(wrapped(wrapped(protocolError('TOPIC_AUTHORIZATION_FAILED'))))).toBe(true);
    expect(isRefusal(new TopicMismatchError('', { cause: protocolError('UNKNOWN_TOPIC_OR_PARTITION') }))).toBe(true);
  });

  it('are refusals where they are bugs', () => {
    expect(isRefusal(new TypeError('no such property'))).toBe(true);
  });

  it('are outages otherwise, also when the client has given up', () => {
    expect(isRefusal(wrapped(new KafkaJSConnectionError('refused')))).toBe(false);
    expect(isRefusal(protocolError('NOT_LEADER_FOR_PARTITION'))).toBe(false);
    expect(isRefusal(protocolError('OUT_OF_ORDER_SEQUENCE_NUMBER'))).toBe(false);
  });

  it('tell a producer that has lost count, and a topic that is missing', () => {
    expect(hasLostCount(wrapped(protocolError('OUT_OF_ORDER_SEQUENCE_NUMBER')))).toBe(true);
    expect(hasLostCount(new KafkaJSConnectionError('refused'))).toBe(false);
    expect(isUnknownTopic(protocolError('UNKNOWN_TOPIC_OR_PARTITION'))).toBe(true);
  });
});
