import { type Pubkey } from '@fresnel/domain/primitives';
import { type Call } from '../calls/call';
import { type EventFacts } from '../facts';

/** A transaction before it has a signature and a form. */
export interface TransactionDraft {
  /** The first pays. One may be named several times. */
  signers: readonly Pubkey[];
  /** The outer instructions with everything that they call. */
  calls: readonly Call[];
  /** What authentic events among the calls report, in order; nothing where the transaction fails. */
  events: readonly EventFacts[];
  isFailed: boolean;
}

/** Several drafts as one transaction: their calls in order, the first one's payer paying. */
export function joinDrafts(drafts: readonly TransactionDraft[]): TransactionDraft {
  return {
    signers: drafts.flatMap((draft) => draft.signers),
    calls: drafts.flatMap((draft) => draft.calls),
    events: drafts.flatMap((draft) => draft.events),
    isFailed: drafts.some((draft) => draft.isFailed),
  };
}
