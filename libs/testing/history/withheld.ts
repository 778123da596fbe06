import { type CompressionEvent, LIVE_PROGRAMS, TransactionParser } from '@fresnel/domain/events';
import { type Pubkey, type Signature, toBase58 } from '@fresnel/domain/primitives';
import { type LedgerTransaction } from './history-ledger';

/** Whether a provider keeps a transaction to itself. */
export type Withheld = (transaction: LedgerTransaction) => boolean;

export function withSignature(wanted: Signature): Withheld {
  const text = toBase58(wanted);
  return ({ signature }) => signature === text;
}

/** All transactions that name one of the accounts, such as a tree and its queue. */
export function naming(...accounts: readonly Pubkey[]): Withheld {
  const names = new Set(accounts.map(toBase58));
  return ({ staticKeys, loadedKeys }) => [...staticKeys, ...loadedKeys].some((key) => names.has(key));
}

/** All transactions of a range of slots, both included. */
export function inSlots(from: number, to: number): Withheld {
  return ({ slot }) => slot >= from && slot <= to;
}

const parser = new TransactionParser(LIVE_PROGRAMS);

/** Transactions that only consume accounts of V1 trees. They leave a gap in no sequence of numbers. */
export function spendingOnly({ json }: LedgerTransaction): boolean {
  const events = parser.parse(json)?.events ?? [];
  return events.length > 0 && events.every(isSpend);
}

function isSpend(event: CompressionEvent): boolean {
  if (event.kind !== 'transition' || event.outputs.length > 0 || event.newAddresses.length > 0) return false;
  return event.inputs.length > 0 && event.inputs.every(({ nullification }) => nullification === null);
}
