import { type CompressionEvent, LIVE_PROGRAMS, TransactionParser } from '@fresnel/domain/events';
import { type Hash, type Pubkey, type Signature, toBase58 } from '@fresnel/domain/primitives';
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

/** The accounts of V1 trees that a transaction spends, if it does nothing else: it leaves a gap in no sequence of numbers. Else none. */
export function spendsOf({ json }: LedgerTransaction): Hash[] {
  const events = parser.parse(json)?.events ?? [];
  return events.every(isSpend)
    ? events.flatMap((event) => (event.kind === 'transition' ? event.inputs.map(({ hash }) => hash) : []))
    : [];
}

/** Transactions that only consume accounts of V1 trees. */
export function spendingOnly(transaction: LedgerTransaction): boolean {
  return spendsOf(transaction).length > 0;
}

function isSpend(event: CompressionEvent): boolean {
  if (event.kind !== 'transition' || event.outputs.length > 0 || event.newAddresses.length > 0) return false;
  return event.inputs.length > 0 && event.inputs.every(({ nullification }) => nullification === null);
}
