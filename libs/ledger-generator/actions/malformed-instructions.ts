import { type TransactionDraft } from '../transaction/transaction-draft';
import { buildV2Transition, draftOf } from './build-transition';
import { planProgramAccounts } from './create-accounts';
import { netLamports } from './transition-plan';
import { type GenerationContext } from './generation-context';
import { planAnyTransition } from './transition-planners';

const CANONICAL = { trueByte: 1, absentAddressTag: 0 };
const NON_CANONICAL = { trueByte: 2, absentAddressTag: 2 };
const MAX_TRAILING_BYTES = 16;

/** More bytes than any kind of instruction has after its last output, and fewer than an output has. */
const MISSING_BYTES = 60;

/** Builds an instruction with tag bytes and trailing bytes that the program accepts although no client writes them. */
export function nonCanonicalBytes(context: GenerationContext): TransactionDraft | null {
  const { random } = context;
  const plan = planAnyTransition(context, (candidate) => netLamports(candidate) === 0n);
  if (!plan) return null;
  const trailingBytes = random.bytes(random.between(1, MAX_TRAILING_BYTES));
  const built = buildV2Transition(context, plan, {
    malformation: { tagBytes: NON_CANONICAL, trailingBytes, missingBytes: 0 },
  });
  return draftOf(context, plan, built);
}

/** Builds a truncated system instruction: the leaves enter the queues, and the data of their accounts cannot be parsed. */
export function truncatedInstruction(context: GenerationContext): TransactionDraft {
  const plan = planProgramAccounts(context, context.actors.pickProgram());
  const malformation = { tagBytes: CANONICAL, trailingBytes: Buffer.alloc(0), missingBytes: MISSING_BYTES };
  return draftOf(context, plan, buildV2Transition(context, plan, { malformation, isReadable: false }));
}
