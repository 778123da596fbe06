import { type Instruction } from '../instructions/instruction';
import { type EventFacts } from '../facts';
import { type TransactionDraft } from '../transaction/transaction-draft';
import { type GenerationContext } from './generation-context';

const REPEAT_SHARE = 0.3;
const MAX_UPDATES = 4;

/** One forester instruction with the event that it reports. */
export interface ForesterUpdate {
  event: EventFacts;
  instruction: Instruction;
}

/** Builds a transaction of one to `MAX_UPDATES` updates of the same kind; null when there is nothing to update. */
export function buildForesterTransaction(
  context: GenerationContext,
  nextUpdate: (context: GenerationContext) => ForesterUpdate | null,
): TransactionDraft | null {
  const updates: ForesterUpdate[] = [];
  while (updates.length < MAX_UPDATES && (updates.length === 0 || context.random.chance(REPEAT_SHARE))) {
    const update = nextUpdate(context);
    if (!update) break;
    context.apply(update.event);
    updates.push(update);
  }
  if (updates.length === 0) return null;
  return {
    signers: [context.actors.forester.key],
    instructions: updates.map(({ instruction }) => instruction),
    events: updates.map(({ event }) => event),
    isFailed: false,
  };
}
