import { PushConnection } from '@fresnel/testing/gateway';

/** A subscription to everything, and what the release sent up to its indexed slot. */
export interface StoredPushes {
  /** The cursor of a slot message. */
  from: string;
  indexedSlot: number;
  transactions: unknown[];
}

/**
 * Subscribes to everything.
 *
 * @param url of a gateway
 * @param from where the subscription starts: a cursor, or a slot
 * @returns the notifications up to the indexed slot
 * @throws Error if the gateway refuses the start
 */
async function receivePushes(url: string, from: string | { slot: number }, indexedSlot: number) {
  const connection = await PushConnection.open(url);
  try {
    const { error } = await connection.subscribe('all', { from });
    if (error) throw new Error(`the gateway refuses ${JSON.stringify(from)}: ${error.message}`);
    await connection.waitForSlot(indexedSlot);
    return [...connection.messages];
  } finally {
    connection.end();
  }
}

/** Goes on at a cursor. @returns the transactions. @throws as `receivePushes` does */
export async function receiveTransactions(url: string, from: string, indexedSlot: number): Promise<object[]> {
  return (await receivePushes(url, from, indexedSlot)).filter(({ type }) => type === 'transaction');
}

/** Starts at the first slot, and then again at the cursor of the first slot message. */
export async function recordPushes(url: string, firstSlot: number, indexedSlot: number): Promise<StoredPushes> {
  const all = await receivePushes(url, { slot: firstSlot }, indexedSlot);
  const from = all.find(({ type, slot }) => type === 'slot' && slot < indexedSlot)?.cursor;
  if (from === undefined) throw new Error('no slot message before the last');
  return { from, indexedSlot, transactions: await receiveTransactions(url, from, indexedSlot) };
}
