import { UnreadableMessageError } from '@fresnel/contracts/messages';
import { numberedTopic } from '@fresnel/testing/bus';
import { inSpan } from '@fresnel/platform';
import { jsonCodec } from '@fresnel/testing/messages';
import { recordSpans } from '@fresnel/testing/tracing';
import { type KafkaMessage } from 'kafkajs';
import { TopicMismatchError } from './kafka-errors';
import { decodeRecord, encodeRecords, isOutdated } from './kafka-record';

const topic = numberedTopic('numbers');

const record = (value: Buffer | null, headers: Record<string, string>): KafkaMessage => ({
  key: null,
  value,
  headers,
  offset: '7',
  timestamp: '0',
  attributes: 0,
});

describe('a record', () => {
  it('contains key, partition, version and generation, once for each target partition', () => {
    const headers = { 'fresnel-version': '1', 'fresnel-generation': '3' };
    const value = Buffer.from('{"number":-1}');
    expect(encodeRecords(topic, { number: -1 }, 2, 3)).toEqual([
      { partition: 0, key: '-1', value, headers },
      { partition: 1, key: '-1', value, headers },
    ]);
  });

  it('has a header with the kind of its message, if there are kinds', () => {
    const tip = { number: 0, kind: 'tip' };
    const kinds = { ...topic, codec: jsonCodec<typeof tip>() };
    expect(encodeRecords(kinds, tip, 1, 1)[0].headers).toEqual({
      'fresnel-version': '1',
      'fresnel-generation': '1',
      'fresnel-kind': 'tip',
    });
  });

  it('has a header with the span in which it is published, and the same value', async () => {
    const [outside] = encodeRecords(topic, { number: 5 }, 1, 1);
    const spans = recordSpans();
    const [inside] = await inSpan('publish', {}, () => Promise.resolve(encodeRecords(topic, { number: 5 }, 1, 1)));
    const { traceId, spanId } = spans.getFinishedSpans()[0].spanContext();
    const traceparent = `00-${traceId}-${spanId}-01`;
    expect(inside).toEqual({ ...outside, headers: { ...outside.headers, traceparent } });
    const place = { topicName: 'numbers', partition: 0 };
    expect(decodeRecord(topic, place, record(inside.value, inside.headers))).toEqual({ number: 5 });
  });

  it('is decoded with the codec of its version', () => {
    const value = Buffer.from('{"number":5}');
    expect(
      decodeRecord(topic, { topicName: 'numbers', partition: 0 }, record(value, { 'fresnel-version': '1' })),
    ).toEqual({ number: 5 });
  });

  it('is outdated if it was published for an older generation of the log, and rejected if for a newer one', () => {
    const check = (generation: number, headers: Record<string, string> = { 'fresnel-generation': '2' }) =>
      isOutdated({ topicName: 'numbers', partition: 3 }, record(Buffer.alloc(0), headers), generation);
    expect([check(2), check(3)]).toEqual([false, true]);
    expect(() => check(1)).toThrow(TopicMismatchError);
    expect(() => check(1)).toThrow('record 7 of numbers/3 has generation 2, but the database has generation 1');
    expect(() => check(1, {})).toThrow(UnreadableMessageError);
  });

  it.each([
    ['without a value', null, { 'fresnel-version': '1' }],
    ['without a version', Buffer.from('{}'), {}],
    ['with a malformed version', Buffer.from('{}'), { 'fresnel-version': 'one' }],
    ['of a future version', Buffer.from('{}'), { 'fresnel-version': '2' }],
    ['with invalid bytes', Buffer.from('{'), { 'fresnel-version': '1' }],
  ])('%s is rejected with an error that names topic, partition and offset', (_, value, headers) => {
    const read = () =>
      decodeRecord(topic, { topicName: 'numbers', partition: 3 }, record(value, headers as Record<string, string>));
    expect(read).toThrow(UnreadableMessageError);
    expect(read).toThrow('record 7 of numbers/3 cannot be decoded');
  });
});
