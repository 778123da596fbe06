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

/** A version that a schema describes. */
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

/** Writes the current version; reads it and, where there is one, the version before. */
export function codecOf<Message>(
  current: MessageVersion<Message>,
  previous?: MessageVersion<Message>,
): MessageCodec<Message> {
  return {
    version: current.version,
    encode: (message) => current.encode(message),
    decode: (bytes, version) => {
      const wanted = [current, previous].find((one) => one?.version === version);
      if (!wanted) throw new UnreadableMessageError(`messages of version ${version} are not read here`);
      try {
        return wanted.decode(bytes);
      } catch (error) {
        throw new UnreadableMessageError(`not a message of version ${version}: ${messageOf(error)}`, { cause: error });
      }
    },
  };
}
