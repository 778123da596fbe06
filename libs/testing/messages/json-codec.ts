import { type MessageCodec, UnreadableMessageError } from '@fresnel/contracts/messages';

/** Bytes for messages that only tests send: JSON, for values that JSON has. */
export function jsonCodec<Message>(version = 1): MessageCodec<Message> {
  return {
    version,
    encode: (message) => Buffer.from(JSON.stringify(message)),
    decode: (bytes, wanted) => {
      if (wanted !== version && wanted !== version - 1) throw new UnreadableMessageError(`version ${wanted}`);
      try {
        return JSON.parse(Buffer.from(bytes).toString()) as Message;
      } catch (error) {
        throw new UnreadableMessageError('not JSON', { cause: error });
      }
    },
  };
}
