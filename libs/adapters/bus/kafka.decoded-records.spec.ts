import { UnreadableMessageError } from '@fresnel/contracts/messages';
import { type Numbered, numberedTopic } from '@fresnel/testing/bus';
import { type KafkaMessage } from 'kafkajs';
import { type Consumer } from './bus';
import { DecodedRecords } from './kafka.decoded-records';

function recordOf(offset: number, value = JSON.stringify({ number: offset })): KafkaMessage {
  const headers = { 'fresnel-version': '1' };
  return { key: null, value: Buffer.from(value), headers, offset: String(offset), timestamp: '0', attributes: 0 };
}

function open(prepare?: Consumer<Numbered>['prepare']): DecodedRecords<Numbered> {
  const topic = numberedTopic('numbers');
  const consumer = {
    group: 'one',
    topic,
    maxBatch: 2,
    claimPartition: () => Promise.resolve(null),
    onBatch: () => Promise.resolve(),
    prepare,
  };
  return new DecodedRecords(consumer, { topicName: topic.name, partition: 0 });
}

describe('DecodedRecords', () => {
  const records = [0, 1, 2, 3].map((offset) => recordOf(offset));

  it('keeps the messages that are prepared, and no others', async () => {
    const prepared: Numbered[][] = [];
    const decoded = open((messages) => {
      prepared.push([...messages]);
      return Promise.resolve();
    });
    await decoded.prepare(records);
    expect(prepared).toEqual([[{ number: 0 }, { number: 1 }]]);
    expect(decoded.decode(records[1])).toBe(prepared[0][1]);
    await decoded.prepare(records.slice(1));
    expect(prepared[1][0]).toBe(prepared[0][1]);
    expect(decoded.decode(records[0])).not.toBe(prepared[0][0]);
    expect(decoded.decode(records[3])).toEqual({ number: 3 });
  });

  it('decodes nothing ahead for a consumer that does not prepare', async () => {
    const unreadable = recordOf(0, '{');
    await open().prepare([unreadable]);
    expect(() => open().decode(unreadable)).toThrow(UnreadableMessageError);
  });

  it('prepares the messages before an unreadable record, which fails when it is delivered', async () => {
    const prepare = jest.fn(() => Promise.resolve());
    const decoded = open(prepare);
    const unreadable = recordOf(1, '{');
    await decoded.prepare([records[0], unreadable]);
    expect(prepare).toHaveBeenCalledWith([{ number: 0 }]);
    await decoded.prepare([unreadable]);
    expect(prepare).toHaveBeenCalledTimes(1);
    expect(() => decoded.decode(unreadable)).toThrow(UnreadableMessageError);
  });
});
