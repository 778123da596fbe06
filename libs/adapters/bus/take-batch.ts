import { type Consumer } from './bus';

/**
 * Decodes the records of the next batch: as many as both limits of the consumer allow, and at least one.
 *
 * @param records at least one
 */
export function takeBatch<Item, Message>(
  records: readonly Item[],
  decode: (record: Item) => Message,
  { maxBatch, sizeLimit }: Pick<Consumer<Message>, 'maxBatch' | 'sizeLimit'>,
): Message[] {
  const messages: Message[] = [];
  let size = 0;
  for (const record of records.slice(0, maxBatch)) {
    const message = decode(record);
    if (sizeLimit) {
      size += sizeLimit.sizeOf(message);
      if (size > sizeLimit.max && messages.length > 0) break;
    }
    messages.push(message);
  }
  return messages;
}
