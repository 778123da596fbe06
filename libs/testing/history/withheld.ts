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
