import { type Block, type TransactionParser } from '@fresnel/domain/events';
import { type DeadLetter, type SlotEvents, type TransactionEvents } from './slot-events';

/** The events of a block. Its trees are resolved later. */
export type ParsedSlot = Pick<SlotEvents, 'transactions' | 'deadLetters'>;

/** Reads the events of all transactions of a block. */
export function parseSlot(block: Block, blockTime: number, parser: TransactionParser): ParsedSlot {
  const transactions: TransactionEvents[] = [];
  const deadLetters: DeadLetter[] = [];
  block.transactions.forEach(({ index, json: text }) => {
    const parsed = parser.parse(text);
    if (!parsed) return;
    const { signature, events, problems } = parsed;
    const json = toTransactionJson(text, block.slot, blockTime);
    if (problems.length > 0) deadLetters.push({ signature, index, reasons: problems, json });
    if (signature && events.length > 0) transactions.push({ signature, index, events, json });
  });
  return { transactions, deadLetters };
}

/**
 * Turns an entry of `getBlock` into a result of `getTransaction`, which has slot and block time as well. Works on the
 * JSON text, so that no number is rounded.
 */
function toTransactionJson(entry: string, slot: number, blockTime: number): string {
  // An entry that is not an object becomes a dead letter, which is stored as JSON too.
  const members = entry.startsWith('{') ? entry.slice(1).trimStart() : `"transaction":${entry}}`;
  const separator = members.startsWith('}') ? '' : ',';
  return `{"slot":${slot},"blockTime":${blockTime}${separator}${members}`;
}
