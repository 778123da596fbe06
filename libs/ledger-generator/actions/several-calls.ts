import { joinDrafts, type TransactionDraft } from '../transaction/draft';
import { carryAlone } from './carry';
import { type Stage } from './stage';
import { intendAnything } from './transitions';

const MAX_CALLS = 3;

/** Several instructions with a transition each, which may differ in format. */
export function severalCalls(stage: Stage): TransactionDraft | null {
  const drafts: TransactionDraft[] = [];
  for (let left = stage.random.between(2, MAX_CALLS); left > 0; left--) {
    const intent = intendAnything(stage, () => true);
    if (intent) drafts.push(carryAlone(stage, intent));
  }
  return drafts.length > 0 ? joinDrafts(drafts) : null;
}
