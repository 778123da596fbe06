import { type MessageCodec, UnreadableMessageError } from '@fresnel/contracts/messages';

/** A JSON codec for messages of tests, whose values JSON can represent. */
export function jsonCodec<Message>(version = 1): MessageCodec<Message> {
  return {
    version,
    encode: (message) => Buffer.from(JSON.stringify(message)),
    decode: (bytes, recordVersion) => {
      if (recordVersion !== version && recordVersion !== version - 1)
        throw new UnreadableMessageError(`version ${recordVersion}`);
      try {
        return JSON.parse(Buffer.from(bytes).toString()) as Message;
      } catch (error) {
        throw new UnreadableMessageError('not JSON', { cause: error });
      }
    },
  };
}
