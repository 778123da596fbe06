/** A named stream of messages in partitions; each partition has one order. */
export interface Topic<Message> {
  name: string;
  /** What records are keyed by. */
  keyOf(message: Message): string;
  /** The partitions that a message goes to: one, or all where every consumer has to know. */
  partitionsOf(message: Message, partitionCount: number): number[];
  /** Carries the message's type; has no value. */
  readonly message?: Message;
}

export function everyPartition(partitionCount: number): number[] {
  return Array.from({ length: partitionCount }, (_, partition) => partition);
}
