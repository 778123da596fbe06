import { type TransactionDraft } from '../transaction/transaction-draft';
import { buildSingleTransition } from './build-transition';
import { insertAddresses } from './insert-addresses';
import { appendAddresses, appendOutputs, nullifyInputs } from './batch-updates';
import { nullifyLeaves } from './nullify-leaves';
import { type GenerationContext } from './generation-context';
import { planAnyTransition } from './transition-planners';

const FORESTER_SHARE = 0.35;
const FORESTER_ACTIONS = [nullifyLeaves, insertAddresses, appendOutputs, nullifyInputs, appendAddresses];

/** Builds a possible transaction with the events that it would report, without applying it to the chain. */
export function dryRunTransaction(context: GenerationContext): TransactionDraft | null {
  const dryRun = context.dryRun();
  const foresterDraft = context.random.chance(FORESTER_SHARE) ? context.random.pick(FORESTER_ACTIONS)(dryRun) : null;
  if (foresterDraft) return foresterDraft;
  const plan = planAnyTransition(dryRun, () => true);
  return plan && buildSingleTransition(dryRun, plan);
}

/** Builds a transaction that fails after its programs reported events. */
export function failTransaction(context: GenerationContext): TransactionDraft | null {
  const draft = dryRunTransaction(context);
  return draft && { ...draft, events: [], isFailed: true };
}
