import { type TransactionDraft } from '../transaction/transaction-draft';
import { type ActionName } from './action-name';
import { appendAddresses, appendOutputs, nullifyInputs } from './batch-updates';
import { buildSingleTransition } from './build-transition';
import { failTransaction } from './dry-run';
import { foreignPrograms } from './foreign-programs';
import { forgeEvent } from './forge-event';
import { type GenerationContext } from './generation-context';
import { insertAddresses } from './insert-addresses';
import { nonCanonicalBytes, truncatedInstruction } from './malformed-instructions';
import { migrateLeaves } from './migrate-leaves';
import { multipleInstructions } from './multiple-instructions';
import { multipleTransitions } from './multiple-transitions';
import { nullifyLeaves } from './nullify-leaves';
import { type TransitionPlanner } from './transition-plan';
import { TRANSITION_PLANNERS } from './transition-planners';
import { transferSol, vote } from './unrelated-transactions';
import { useCpiContext } from './use-cpi-context';

/** Builds a random transaction of one kind, or returns null when the state of the chain does not allow one. */
export type Action = (context: GenerationContext) => TransactionDraft | null;

interface CatalogEntry {
  act: Action;
  /** How often the action is chosen, relative to the others. */
  weight: number;
}

/** Every action with its default weight. */
export const ACTIONS: Readonly<Record<ActionName, CatalogEntry>> = {
  createAccounts: { act: single(TRANSITION_PLANNERS.createAccounts), weight: 8 },
  createAddressedAccounts: { act: single(TRANSITION_PLANNERS.createAddressedAccounts), weight: 6 },
  reserveAddresses: { act: single(TRANSITION_PLANNERS.reserveAddresses), weight: 3 },
  transferLamports: { act: single(TRANSITION_PLANNERS.transferLamports), weight: 8 },
  withdrawLamports: { act: single(TRANSITION_PLANNERS.withdrawLamports), weight: 2 },
  updateAccount: { act: single(TRANSITION_PLANNERS.updateAccount), weight: 6 },
  updateAddressedAccount: { act: single(TRANSITION_PLANNERS.updateAddressedAccount), weight: 6 },
  closeAccount: { act: single(TRANSITION_PLANNERS.closeAccount), weight: 2 },
  mintTokens: { act: single(TRANSITION_PLANNERS.mintTokens), weight: 8 },
  transferTokens: { act: single(TRANSITION_PLANNERS.transferTokens), weight: 14 },
  burnTokens: { act: single(TRANSITION_PLANNERS.burnTokens), weight: 3 },
  delegateTokens: { act: single(TRANSITION_PLANNERS.delegateTokens), weight: 4 },
  transferAsDelegate: { act: single(TRANSITION_PLANNERS.transferAsDelegate), weight: 2 },
  revokeDelegate: { act: single(TRANSITION_PLANNERS.revokeDelegate), weight: 2 },
  freezeTokens: { act: single(TRANSITION_PLANNERS.freezeTokens), weight: 3 },
  thawTokens: { act: single(TRANSITION_PLANNERS.thawTokens), weight: 2 },
  nullifyLeaves: { act: nullifyLeaves, weight: 10 },
  migrateLeaves: { act: migrateLeaves, weight: 0 },
  insertAddresses: { act: insertAddresses, weight: 5 },
  appendOutputs: { act: appendOutputs, weight: 6 },
  nullifyInputs: { act: nullifyInputs, weight: 5 },
  appendAddresses: { act: appendAddresses, weight: 4 },
  useCpiContext: { act: useCpiContext, weight: 2 },
  multipleTransitions: { act: multipleTransitions, weight: 3 },
  multipleInstructions: { act: multipleInstructions, weight: 3 },
  nonCanonicalBytes: { act: nonCanonicalBytes, weight: 2 },
  truncatedInstruction: { act: truncatedInstruction, weight: 0 },
  failTransaction: { act: failTransaction, weight: 5 },
  vote: { act: vote, weight: 12 },
  transferSol: { act: transferSol, weight: 6 },
  foreignPrograms: { act: foreignPrograms, weight: 2 },
  forgeEvent: { act: forgeEvent, weight: 2 },
};

function single(planTransition: TransitionPlanner): Action {
  return (context) => {
    const plan = planTransition(context);
    return plan && buildSingleTransition(context, plan);
  };
}
