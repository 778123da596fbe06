import { type AttestedRange, type BlockLink, type BlockRef, sparseBlock } from '@fresnel/domain/chain';
import { type Block } from '@fresnel/domain/events';
import { type Slot } from '@fresnel/domain/primitives';
import { type HistoryPage, type HistorySlot } from './history-source';

/** Where the blocks of pages begin and end. */
export interface SparseBlocksOptions {
  /** The block before them. Slots up to it are counted, and not given. */
  after: BlockRef;
  /** The time of slots without one, until one has a time; null: it is not known. */
  blockTime: number | null;
  /** The last one is this block if it is at its slot; null: all are sparse. */
  anchor: BlockRef | null;
  /** Whether a page ends a range with this slot. The last slot of a range has a block, also without transactions. */
  isEnd: (slot: Slot) => boolean;
  /** What the block at the end of a range attests; null: they attest nothing. */
  attest: ((end: Slot) => Omit<AttestedRange, 'transactions'>) | null;
}

/**
 * Turns pages into blocks: the slots with transactions, and the ends of ranges. The latter attest the ranges, with all their transactions:
 * so the pages begin where a range does.
 *
 * @returns the last block
 */
export async function* toSparseBlocks(
  pages: AsyncIterable<HistoryPage>,
  { after, blockTime, anchor, isEnd, attest }: SparseBlocksOptions,
): AsyncGenerator<Block, BlockRef, undefined> {
  let last = after;
  let time = blockTime ?? 0;
  let transactions = 0;
  for await (const page of pages) {
    const isLast = isEnd(page.to);
    for (const slot of isLast ? withEnd(page) : page.slots) {
      transactions += slot.transactions.length;
      if (slot.slot <= after.slot) continue;
      time = slot.blockTime ?? time;
      const ref = anchor?.slot === slot.slot ? anchor : sparseBlock(slot.slot);
      const block = toSparseBlock(slot, last, ref, time);
      const isAttesting = attest && isLast && slot.slot === page.to;
      yield isAttesting ? { ...block, attested: { ...attest(page.to), transactions } } : block;
      last = ref;
    }
    if (isLast) transactions = 0;
  }
  return last;
}

/** The block of a slot of history. @param blockTime unix seconds */
export function toSparseBlock(
  { transactions }: HistorySlot,
  parent: BlockRef,
  ref: BlockRef,
  blockTime: number,
): Block {
  const link: BlockLink = { ...ref, parentSlot: parent.slot, parentBlockhash: parent.blockhash };
  return {
    ...link,
    blockTime,
    blockHeight: null,
    transactionCount: transactions.length,
    transactions,
    signatures: null,
  };
}

/** The slots of a page, and its last slot, also without transactions. */
function withEnd({ slots, to }: HistoryPage): readonly HistorySlot[] {
  return slots.at(-1)?.slot === to ? slots : [...slots, { slot: to, blockTime: null, transactions: [], link: null }];
}
