import {
  create,
  type DescMessage,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf';
import { messageOf } from '@fresnel/domain/primitives';
import { type MessageCodec } from '../topic';
import { UnreadableMessageError } from '../unreadable-message.error';

/** One version of a topic's messages. */
export interface MessageVersion<Message> {
  version: number;
  encode(message: Message): Buffer;
  decode(bytes: Uint8Array): Message;
}

/** Creates a version with a Protobuf schema. */
export function protobufVersion<Message, Schema extends DescMessage>(
  version: number,
  schema: Schema,
  write: (message: Message) => MessageInitShape<Schema>,
  read: (record: MessageShape<Schema>) => Message,
): MessageVersion<Message> {
  return {
    version,
    encode: (message) => {
      const { buffer, byteOffset, length } = toBinary(schema, create(schema, write(message)));
      return Buffer.from(buffer, byteOffset, length);
    },
    decode: (bytes) => read(fromBinary(schema, bytes)),
  };
}

/** A codec that encodes the current version, and decodes it and the previous version, if there is one. */
export function codecOf<Message>(
  current: MessageVersion<Message>,
  previous?: MessageVersion<Message>,
): MessageCodec<Message> {
  return {
    version: current.version,
    encode: (message) => current.encode(message),
    decode: (bytes, version) => {
      const found = [current, previous].find((one) => one?.version === version);
      if (!found) throw new UnreadableMessageError(`version ${version} of the message is not supported`);
      try {
        return found.decode(bytes);
      } catch (error) {
        throw new UnreadableMessageError(`not a message of version ${version}: ${messageOf(error)}`, { cause: error });
      }
    },
  };
}
