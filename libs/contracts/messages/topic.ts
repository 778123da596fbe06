/** A named stream of messages in partitions; each partition has one order. */
export interface Topic<Message> {
  name: string;
  /** What records are keyed by. */
  keyOf(message: Message): string;
  /** The partitions that a message goes to: one, or all where every consumer has to know. */
  partitionsOf(message: Message, partitionCount: number): number[];
  /** The bytes of its messages, for buses that leave the process. */
  readonly codec: MessageCodec<Message>;
}

/** Turns messages into bytes and back. */
export interface MessageCodec<Message> {
  /** Version that is written. */
  version: number;
  encode(message: Message): Buffer;
  /**
   * Reads this version and the one before. The message shares no memory with `bytes`.
   *
   * @throws UnreadableMessageError
   */
  decode(bytes: Uint8Array, version: number): Message;
}

export function everyPartition(partitionCount: number): number[] {
  return Array.from({ length: partitionCount }, (_, partition) => partition);
}
