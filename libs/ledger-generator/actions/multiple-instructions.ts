import { joinDrafts, type TransactionDraft } from '../transaction/transaction-draft';
import { buildSingleTransition } from './build-transition';
import { type GenerationContext } from './generation-context';
import { planAnyTransition } from './transition-planners';

const MAX_INSTRUCTIONS = 3;

/** Builds a transaction of several outer instructions with one state transition each; their formats may differ. */
export function multipleInstructions(context: GenerationContext): TransactionDraft | null {
  const drafts: TransactionDraft[] = [];
  for (let remaining = context.random.between(2, MAX_INSTRUCTIONS); remaining > 0; remaining--) {
    const plan = planAnyTransition(context, () => true);
    if (plan) drafts.push(buildSingleTransition(context, plan));
  }
  return drafts.length > 0 ? joinDrafts(drafts) : null;
}
