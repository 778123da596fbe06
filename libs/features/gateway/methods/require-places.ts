import { type LeafPlace } from '@fresnel/adapters/store-read';
import { toBase58 } from '@fresnel/domain/primitives';
import { CallStateError } from '../responses/call-state.error';

// Which accounts a method proves.

/** Also accounts in an output queue, which are proven by index. */
export function acceptAll(): void {
  // Nothing is required.
}

/** @throws CallStateError for accounts in an output queue */
export function requireAppended(places: readonly LeafPlace[]): void {
  const queued = places.find(({ isQueued }) => isQueued);
  if (queued) throw new CallStateError(`The account ${toBase58(queued.hash)} is not in its tree yet: it is queued`);
}

/** @throws CallStateError for consumed accounts */
export function requireUnspent(places: readonly LeafPlace[]): void {
  const spent = places.find(({ isSpent }) => isSpent);
  if (spent) throw new CallStateError(`The account ${toBase58(spent.hash)} is spent`);
}
