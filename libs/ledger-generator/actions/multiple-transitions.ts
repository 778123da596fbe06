import { type Instruction } from '../instructions/instruction';
import { type TransactionDraft } from '../transaction/transaction-draft';
import { type BuiltTransition, buildV2Transition } from './build-transition';
import { type TransitionPlan } from './transition-plan';
import { type GenerationContext } from './generation-context';
import { planAnyTransition } from './transition-planners';
import { callProgram } from './call-program';

const MIN_TRANSITIONS = 2;
const MAX_TRANSITIONS = 4;

/** Builds a transaction of one outer instruction whose CPIs execute several state transitions. */
export function multipleTransitions(context: GenerationContext): TransactionDraft | null {
  const parts: { plan: TransitionPlan; built: BuiltTransition }[] = [];
  for (let remaining = context.random.between(MIN_TRANSITIONS, MAX_TRANSITIONS); remaining > 0; remaining--) {
    const plan = planAnyTransition(context, ({ program }) => program !== null);
    if (plan) parts.push({ plan, built: buildV2Transition(context, plan) });
  }
  if (parts.length === 0) return null;
  const router = parts[0].plan.program ?? context.actors.pickProgram();
  const cpisOf = ({ plan: { program }, built: { instructions } }: (typeof parts)[number]): readonly Instruction[] =>
    program === null || program.equals(router) ? instructions : [callProgram(context, program, instructions)];
  return {
    signers: parts.map(({ plan }) => plan.payer),
    instructions: [callProgram(context, router, parts.flatMap(cpisOf))],
    events: parts.map(({ built }) => built.facts),
    isFailed: false,
  };
}
