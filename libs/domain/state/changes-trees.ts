import { type SlotEvents } from './slot-events';

/**
 * Whether a block counts as one that changes a tree: it has compression events, or transactions that could not be decoded.
 *
 * The transactions alone decide. Which trees an ingest can read at that time makes no difference, so that all ingests agree.
 */
export function changesTrees({ transactions, deadLetters }: Pick<SlotEvents, 'transactions' | 'deadLetters'>): boolean {
  return transactions.length > 0 || deadLetters.length > 0;
}

/** Whether tables count a block as one that changes a tree: also if it only brings trees, which are published with it. */
export function mayChangeTrees(events: Pick<SlotEvents, 'transactions' | 'deadLetters' | 'trees'>): boolean {
  return events.trees.length > 0 || changesTrees(events);
}
