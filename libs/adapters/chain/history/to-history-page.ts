import { type GtfaTransaction } from './gtfa-items';
import { type HistoryHole, type HistoryPage, type HistorySlot, type SlotRange } from './history-source';

/** Groups the transactions of whole slots. @param items in the order of their slots */
export function toHistoryPage(range: SlotRange, items: readonly GtfaTransaction[]): HistoryPage {
  const slots: HistorySlot[] = [];
  const holes: HistoryHole[] = [];
  for (const { slot, blockTime, index, json, signature, missingPart, isFailed, problem } of items) {
    if (isFailed) continue;
    if (missingPart !== null) holes.push({ slot, index, signature, reason: missingPart });
    const last = slots.at(-1);
    const transaction = { index, json, signature, ...(problem !== undefined && { problem }) };
    if (last?.slot === slot) last.transactions.push(transaction);
    else slots.push({ slot, blockTime, transactions: [transaction], link: null });
  }
  for (const { transactions } of slots) transactions.sort((a, b) => a.index - b.index);
  return { ...range, slots, holes };
}
