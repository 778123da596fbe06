/** A topic: messages in partitions, in order within each partition. */
export interface Topic<Message> {
  name: string;
  /** The record key. */
  keyOf(message: Message): string;
  /** The partitions to which a message is published: one, or all when every consumer needs it. */
  partitionsOf(message: Message, partitionCount: number): number[];
  /** The approximate memory of a message in bytes. It bounds batches, and what a bus keeps in memory. */
  bytesOf(message: Message): number;
  /** Encoding of the messages, for buses between processes. */
  readonly codec: MessageCodec<Message>;
}

/** Encodes messages as bytes. */
export interface MessageCodec<Message> {
  /** Version that `encode` writes. */
  version: number;
  encode(message: Message): Buffer;
  /**
   * Decodes the current and the previous version. The message shares no memory with `bytes`.
   *
   * @throws UnreadableMessageError
   */
  decode(bytes: Uint8Array, version: number): Message;
}

export function everyPartition(partitionCount: number): number[] {
  return Array.from({ length: partitionCount }, (_, partition) => partition);
}
