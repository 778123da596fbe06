import { type Pubkey } from '@fresnel/domain/primitives';
import { type Instruction } from '../instructions/instruction';
import { type EventFacts } from '../facts';

/** A transaction before signatures and version are chosen. */
export interface TransactionDraft {
  /** The first one pays. May contain duplicates. */
  signers: readonly Pubkey[];
  /** The outer instructions with their CPIs. */
  instructions: readonly Instruction[];
  /** Authentic events of the instructions, in order; empty when the transaction fails. */
  events: readonly EventFacts[];
  isFailed: boolean;
}

/** Joins drafts into one transaction. The payer of the first draft pays. */
export function joinDrafts(drafts: readonly TransactionDraft[]): TransactionDraft {
  return {
    signers: drafts.flatMap((draft) => draft.signers),
    instructions: drafts.flatMap((draft) => draft.instructions),
    events: drafts.flatMap((draft) => draft.events),
    isFailed: drafts.some((draft) => draft.isFailed),
  };
}
