import { KIND_HEADER, type Topic, UnreadableMessageError, VERSION_HEADER } from '@fresnel/contracts/messages';
import { messageOf } from '@fresnel/domain/primitives';
import { traceHeaders } from '@fresnel/platform';
import { type KafkaMessage } from 'kafkajs';

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
): OutgoingRecord[] {
  const record = {
    key: topic.keyOf(message),
    value: topic.codec.encode(message),
    headers: { [VERSION_HEADER]: String(topic.codec.version), ...describeKind(message), ...traceHeaders() },
  };
  return topic.partitionsOf(message, partitionCount).map((partition) => ({ partition, ...record }));
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
