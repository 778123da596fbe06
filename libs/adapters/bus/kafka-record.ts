import {
  GENERATION_HEADER,
  KIND_HEADER,
  type Topic,
  UnreadableMessageError,
  VERSION_HEADER,
} from '@fresnel/contracts/messages';
import { messageOf } from '@fresnel/domain/primitives';
import { traceHeaders } from '@fresnel/platform';
import { type KafkaMessage } from 'kafkajs';
import { RESET_POSITIONS, TopicMismatchError } from './kafka-errors';

/** An encoded message for one partition. */
export interface OutgoingRecord {
  partition: number;
  key: string;
  value: Buffer;
  headers: Record<string, string>;
}

/** The partition that a record was read from. */
export interface RecordPlace {
  /** Name of the topic in the cluster. */
  topicName: string;
  partition: number;
}

/** Encodes a message as one record for each partition that it goes to. Headers name the active span, if there is one. */
export function encodeRecords<Message>(
  topic: Topic<Message>,
  message: Message,
  partitionCount: number,
  generation: number,
): OutgoingRecord[] {
  const record = {
    key: topic.keyOf(message),
    value: topic.codec.encode(message),
    headers: {
      [VERSION_HEADER]: String(topic.codec.version),
      [GENERATION_HEADER]: String(generation),
      ...describeKind(message),
      ...traceHeaders(),
    },
  };
  return topic.partitionsOf(message, partitionCount).map((partition) => ({ partition, ...record }));
}

/**
 * Whether a record was published for an older generation of the log than the present one.
 *
 * @throws TopicMismatchError for a newer generation: the database is older than the log; UnreadableMessageError without one
 */
export function isOutdated(
  place: RecordPlace,
  { headers, offset }: Pick<KafkaMessage, 'headers' | 'offset'>,
  generation: number,
): boolean {
  const text = headers?.[GENERATION_HEADER]?.toString() ?? '';
  const where = `record ${offset} of ${place.topicName}/${place.partition}`;
  if (!/^\d+$/.test(text)) throw new UnreadableMessageError(`${where} has no header ${GENERATION_HEADER}`);
  if (Number(text) > generation) {
    const facts = `${where} has generation ${text}, but the database has generation ${generation}`;
    throw new TopicMismatchError(`${facts}: ${RESET_POSITIONS}`);
  }
  return Number(text) < generation;
}

/** @throws UnreadableMessageError that names topic, partition and offset */
export function decodeRecord<Message>(topic: Topic<Message>, place: RecordPlace, record: KafkaMessage): Message {
  const { value, headers, offset } = record;
  const version = headers?.[VERSION_HEADER]?.toString() ?? '';
  try {
    if (value === null || !/^\d+$/.test(version)) throw new Error(`no value, or no header ${VERSION_HEADER}`);
    return topic.codec.decode(value, Number(version));
  } catch (error) {
    const where = `record ${offset} of ${place.topicName}/${place.partition}`;
    throw new UnreadableMessageError(`${where} cannot be decoded: ${messageOf(error)}`, { cause: error });
  }
}

function describeKind(message: unknown): Record<string, string> {
  const hasKind = typeof message === 'object' && message !== null && 'kind' in message;
  return hasKind && typeof message.kind === 'string' ? { [KIND_HEADER]: message.kind } : {};
}
