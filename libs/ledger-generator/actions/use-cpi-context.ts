import { MAX_U64 } from '@fresnel/domain/primitives';
import { type RequestedOutput } from '../chain/plan-transition';
import { GENERATED_PROGRAMS } from '../keys';
import { type TransactionDraft } from '../transaction/draft';
import { carryV2, inTreeOrder } from './carry';
import { type Intent, sumOf } from './intent';
import { type Stage } from './stage';
import { intendAnything, TRANSITIONS } from './transitions';
import { callProgram } from './wrap';

const { mintTokens, transferTokens, delegateTokens } = TRANSITIONS;
const { createAddressedAccounts, updateAccount, rewriteAddressedAccount } = TRANSITIONS;
const FIRST_PARTS = [mintTokens, transferTokens, delegateTokens];
const SECOND_PARTS = [createAddressedAccounts, updateAccount, rewriteAddressedAccount];
const ATTEMPTS = 8;

/**
 * Two programs share one transition: the token program leaves its part in the CPI context account, and a user program
 * executes both parts together.
 *
 * ```
 * user program
 *   token program
 *     light system    writes inputs and outputs to the context
 *   light system      executes them with its own: the context's stand first
 * ```
 */
export function useCpiContext(stage: Stage): TransactionDraft | null {
  const parts = intendBoth(stage);
  if (!parts) return null;
  const { first, second, joint } = parts;
  const writer = GENERATED_PROGRAMS.compressedToken;
  const context = { writer, inputs: first.inputs.length, outputs: first.outputs.length };
  const { facts, calls } = carryV2(stage, joint, { context });
  const [writing, ...executing] = calls;
  const program = second.program ?? stage.cast.program();
  const outer = callProgram(stage, program, [callProgram(stage, writer, [writing]), ...executing]);
  return { signers: [second.payer, first.payer], calls: [outer], events: [facts], isFailed: false };
}

/** Both parts with what they are together. The outputs of one tree must stand side by side across the two. */
function intendBoth(stage: Stage): { first: Intent; second: Intent; joint: Intent } | null {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const first = intendAnything(stage, () => true, FIRST_PARTS);
    const second = intendAnything(stage, () => true, SECOND_PARTS);
    if (!first || !second) return null;
    const outputs = [...inTreeOrder(first).outputs, ...inTreeOrder(second).outputs];
    const joint = { ...second, inputs: [...first.inputs, ...second.inputs], outputs };
    if (isInTreeOrder(joint) && isWithinU64(joint)) return { first: inTreeOrder(first), second, joint };
  }
  return null;
}

function isInTreeOrder(intent: Intent): boolean {
  const ordered = inTreeOrder(intent).outputs;
  return intent.outputs.every((output: RequestedOutput, i) => output === ordered[i]);
}

function isWithinU64({ inputs, outputs }: Intent): boolean {
  const consumed = sumOf(inputs.map(({ lamports }) => lamports));
  return consumed <= MAX_U64 && sumOf(outputs.map(({ body }) => body.lamports)) <= MAX_U64;
}
