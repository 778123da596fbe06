import { type BlockLink, isAnchor } from '@fresnel/domain/chain';
import { type SlotEvents } from './slot-events';

type Changes = BlockLink & Pick<SlotEvents, 'transactions' | 'deadLetters'>;

/**
 * Whether a block counts as one that changes a tree: it has compression events, or transactions that could not be decoded. So does
 * the anchor of attested history: the blocks after it name it, whatever the source of an ingest had before it.
 *
 * The transactions alone decide. Which trees an ingest can read at that time makes no difference, so that all ingests agree.
 */
export function changesTrees(events: Changes): boolean {
  return events.transactions.length > 0 || events.deadLetters.length > 0 || isAnchor(events);
}

/** Whether tables count a block as one that changes a tree: also if it only brings trees, which are published with it. */
export function mayChangeTrees(events: Changes & Pick<SlotEvents, 'trees'>): boolean {
  return events.trees.length > 0 || changesTrees(events);
}
