import { type Hash } from '@fresnel/domain/primitives';
import { type ActionName } from '../actions/action-name';
import { type TransactionFacts } from '../facts';
import { computeUnitLimitInstruction } from '../instructions/solana-instructions';
import { type Random } from '../random';
import { finalizeTransaction } from './finalize-transaction';
import { type TransactionDraft } from './transaction-draft';

const COMPUTE_LIMIT_SHARE = 0.5;

/** Finalizes a draft, sometimes with a compute budget instruction, and records its facts. */
export function finishTransaction(
  action: ActionName,
  draft: TransactionDraft,
  recentBlockhash: Hash,
  random: Random,
): TransactionFacts {
  const budget = random.chance(COMPUTE_LIMIT_SHARE) ? [computeUnitLimitInstruction(1_000_000)] : [];
  const instructions = [...budget, ...draft.instructions];
  const finalized = finalizeTransaction({ ...draft, instructions }, recentBlockhash, random);
  return { ...finalized, action, isFailed: draft.isFailed, events: draft.events };
}
