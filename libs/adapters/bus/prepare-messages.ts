import { type Consumer } from './bus';

/** Lets a consumer prepare messages. Never rejects: what fails is done, and fails, again in their batch. */
export async function prepareMessages<Message>(
  consumer: Consumer<Message>,
  messages: readonly Message[],
): Promise<void> {
  try {
    await consumer.prepare?.(messages);
  } catch {
    // see above
  }
}
