import { MAX_U64 } from '@fresnel/domain/primitives';
import { type RequestedOutput } from '../chain/compute-transition';
import { GENERATED_PROGRAMS } from '../keys';
import { type TransactionDraft } from '../transaction/transaction-draft';
import { buildV2Transition, groupOutputsByTree } from './build-transition';
import { type TransitionPlan, sumOf } from './transition-plan';
import { type GenerationContext } from './generation-context';
import { planAnyTransition, TRANSITION_PLANNERS } from './transition-planners';
import { callProgram } from './call-program';

const { mintTokens, transferTokens, delegateTokens } = TRANSITION_PLANNERS;
const { createAddressedAccounts, updateAccount, updateAddressedAccount } = TRANSITION_PLANNERS;
const FIRST_PARTS = [mintTokens, transferTokens, delegateTokens];
const SECOND_PARTS = [createAddressedAccounts, updateAccount, updateAddressedAccount];
const ATTEMPTS = 8;

/**
 * Builds a transaction in which two programs share one state transition: the token program writes its part to the CPI
 * context account, and a user program executes both parts together.
 *
 * ```
 * user program
 *   token program
 *     light system    writes inputs and outputs to the context
 *   light system      executes them with its own, those of the context first
 * ```
 */
export function useCpiContext(context: GenerationContext): TransactionDraft | null {
  const parts = planBothParts(context);
  if (!parts) return null;
  const { first, second, joint } = parts;
  const writer = GENERATED_PROGRAMS.compressedToken;
  const cpiContext = { writer, inputs: first.inputs.length, outputs: first.outputs.length };
  const { facts, instructions } = buildV2Transition(context, joint, { cpiContext });
  const [write, ...execution] = instructions;
  const program = second.program ?? context.actors.pickProgram();
  const outer = callProgram(context, program, [callProgram(context, writer, [write]), ...execution]);
  return { signers: [second.payer, first.payer], instructions: [outer], events: [facts], isFailed: false };
}

/** Both parts and the joint plan. Outputs of one tree must be adjacent across both parts. */
function planBothParts(
  context: GenerationContext,
): { first: TransitionPlan; second: TransitionPlan; joint: TransitionPlan } | null {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const first = planAnyTransition(context, () => true, FIRST_PARTS);
    const second = planAnyTransition(context, () => true, SECOND_PARTS);
    if (!first || !second) return null;
    const outputs = [...groupOutputsByTree(first).outputs, ...groupOutputsByTree(second).outputs];
    const joint = { ...second, inputs: [...first.inputs, ...second.inputs], outputs };
    if (isGroupedByTree(joint) && isWithinU64(joint)) return { first: groupOutputsByTree(first), second, joint };
  }
  return null;
}

function isGroupedByTree(plan: TransitionPlan): boolean {
  const ordered = groupOutputsByTree(plan).outputs;
  return plan.outputs.every((output: RequestedOutput, i) => output === ordered[i]);
}

function isWithinU64({ inputs, outputs }: TransitionPlan): boolean {
  const consumed = sumOf(inputs.map(({ lamports }) => lamports));
  return consumed <= MAX_U64 && sumOf(outputs.map(({ body }) => body.lamports)) <= MAX_U64;
}
