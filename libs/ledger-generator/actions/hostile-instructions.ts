import { type TransactionDraft } from '../transaction/draft';
import { carryV2, draftOf } from './carry';
import { intendProgramAccounts } from './create-accounts';
import { lamportsFlow } from './intent';
import { type Stage } from './stage';
import { intendAnything } from './transitions';

const STRICT = { trueByte: 1, absentAddressTag: 0 };
const LENIENT = { trueByte: 2, absentAddressTag: 2 };
const MAX_TRAILING_BYTES = 16;

/** More than any form has behind its last output, and less than an output has. */
const MISSING_BYTES = 60;

/** Bytes that the chain accepts and a strict reader refuses. The transition counts like any other. */
export function lenientBytes(stage: Stage): TransactionDraft | null {
  const { random } = stage;
  const intent = intendAnything(stage, (candidate) => lamportsFlow(candidate) === 0n);
  if (!intent) return null;
  const trailing = random.bytes(random.between(1, MAX_TRAILING_BYTES));
  const carried = carryV2(stage, intent, { disorder: { leniency: LENIENT, trailing, missingBytes: 0 } });
  return draftOf(stage, intent, carried);
}

/**
 * A system instruction that nobody can read. The leaves are in the queues all the same, but what their accounts hold
 * is lost.
 */
export function unreadableInstruction(stage: Stage): TransactionDraft {
  const intent = intendProgramAccounts(stage, stage.cast.program());
  const disorder = { leniency: STRICT, trailing: Buffer.alloc(0), missingBytes: MISSING_BYTES };
  return draftOf(stage, intent, carryV2(stage, intent, { disorder, isReadable: false }));
}
