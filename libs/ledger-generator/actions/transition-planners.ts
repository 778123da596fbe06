import { planClosure, planAddressedUpdate, planUpdate } from './change-accounts';
import { planAccountCreation } from './create-accounts';
import { planAddressedAccounts } from './create-addressed-accounts';
import { planDelegation, planRevocation } from './delegate-tokens';
import { planFreeze, planThaw } from './freeze-tokens';
import { type TransitionPlanner, type TransitionPlan } from './transition-plan';
import { planMint } from './mint-tokens';
import { planAddressReservation } from './reserve-addresses';
import { type GenerationContext } from './generation-context';
import { planLamportTransfer, planWithdrawal } from './transfer-lamports';
import { planBurn, planDelegateTransfer, planTokenTransfer } from './transfer-tokens';

/** The planner of every action that executes a single state transition. */
export const TRANSITION_PLANNERS = {
  createAccounts: planAccountCreation,
  createAddressedAccounts: planAddressedAccounts,
  reserveAddresses: planAddressReservation,
  transferLamports: planLamportTransfer,
  withdrawLamports: planWithdrawal,
  updateAccount: planUpdate,
  updateAddressedAccount: planAddressedUpdate,
  closeAccount: planClosure,
  mintTokens: planMint,
  transferTokens: planTokenTransfer,
  burnTokens: planBurn,
  delegateTokens: planDelegation,
  transferAsDelegate: planDelegateTransfer,
  revokeDelegate: planRevocation,
  freezeTokens: planFreeze,
  thawTokens: planThaw,
} as const satisfies Record<string, TransitionPlanner>;

const PLANNERS: readonly TransitionPlanner[] = Object.values(TRANSITION_PLANNERS);

/** Plans a random state transition that matches; null when the state of the chain allows none. */
export function planAnyTransition(
  context: GenerationContext,
  matches: (plan: TransitionPlan) => boolean,
  planners = PLANNERS,
): TransitionPlan | null {
  for (const planTransition of context.random.sample(planners, planners.length)) {
    const plan = planTransition(context);
    if (plan && matches(plan)) return plan;
  }
  return null;
}
