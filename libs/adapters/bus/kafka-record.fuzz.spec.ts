import {
  GENERATION_HEADER,
  SLOT_EVENTS,
  type SlotEventsMessage,
  UnreadableMessageError,
  VERSION_HEADER,
} from '@fresnel/contracts/messages';
import { toSlot } from '@fresnel/domain/primitives';
import { fuzz, hostileBytes } from '@fresnel/testing/generic';
import { type IHeaders, type KafkaMessage } from 'kafkajs';
import { TopicMismatchError } from './kafka-errors';
import { decodeRecord, isOutdated } from './kafka-record';

const PLACE = { topicName: 'slot-events', partition: 3 };
const TIP: SlotEventsMessage = { kind: 'tip', slot: toSlot(7), seenAt: new Date(1_700_000_000_000) };
const VALUE = SLOT_EVENTS.codec.encode(TIP);
const NUMBERS = hostileBytes(['1', '2', '4294967296'].map((digits) => Buffer.from(digits)));

const record = (value: Buffer, headers: IHeaders): KafkaMessage => ({
  ...{ key: null, value, headers, offset: '7', timestamp: '0', attributes: 0 },
});

describe('a record', () => {
  it('is decoded or rejected with UnreadableMessageError, whatever its version is', () => {
    fuzz(NUMBERS, (version) => decodeRecord(SLOT_EVENTS, PLACE, record(VALUE, { [VERSION_HEADER]: version })), {
      throws: [UnreadableMessageError],
    });
  });

  it('is decoded or rejected with UnreadableMessageError, whatever its value is', () => {
    fuzz(hostileBytes([VALUE]), (value) => decodeRecord(SLOT_EVENTS, PLACE, record(value, { [VERSION_HEADER]: '1' })), {
      throws: [UnreadableMessageError],
    });
  });

  it('has an older generation, or is rejected, whatever its header says', () => {
    fuzz(NUMBERS, (generation) => isOutdated(PLACE, record(VALUE, { [GENERATION_HEADER]: generation }), 2), {
      throws: [UnreadableMessageError, TopicMismatchError],
    });
  });
});
