import { type Block, type CompressionEvent, type TransactionParser } from '@fresnel/domain/events';
import { hasEqualIndexes, orderTransactions } from './order-transactions';
import { writePlaceProblem } from './place-problem';
import { type DeadLetter, type SlotEvents, type TransactionEvents } from './slot-events';

/** The events of a block. Its trees are resolved later. */
export type ParsedSlot = Pick<SlotEvents, 'transactions' | 'deadLetters'>;

interface ReadTransaction extends DeadLetter {
  events: CompressionEvent[];
}

/**
 * Reads the events of all transactions of a block. Those with equal indexes, which some sources of history give, are put in the order
 * of their trees.
 */
export function parseSlot(block: Block, blockTime: number, parser: TransactionParser): ParsedSlot {
  const read = block.transactions.flatMap(({ index, json: text, problem }): ReadTransaction[] => {
    const parsed = parser.parse(text);
    if (!parsed) return [];
    const { signature, events, problems } = parsed;
    const json = toTransactionJson(text, block.slot, blockTime);
    const isPlaced = problem === undefined;
    return [
      { signature, index, json, events: isPlaced ? events : [], reasons: isPlaced ? problems : [...problems, problem] },
    ];
  });
  const transactions: TransactionEvents[] = [];
  const deadLetters: DeadLetter[] = [];
  for (const { events, reasons, ...transaction } of hasEqualIndexes(read) ? inOrder(read) : read) {
    const { signature } = transaction;
    if (reasons.length > 0) deadLetters.push({ ...transaction, reasons });
    if (signature && events.length > 0) transactions.push({ ...transaction, signature, events });
  }
  return { transactions, deadLetters };
}

function inOrder(read: readonly ReadTransaction[]): ReadTransaction[] {
  const { ordered, undecided } = orderTransactions(read);
  const problem = writePlaceProblem(
    'order-unknown',
    'the source gives several transactions of the slot the same index',
  );
  return ordered.map((each) =>
    undecided.has(each) ? { ...each, events: [], reasons: [...each.reasons, problem] } : each,
  );
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
