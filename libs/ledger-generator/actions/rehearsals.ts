import { type TransactionDraft } from '../transaction/draft';
import { carryAlone } from './carry';
import { insertAddresses } from './insert-addresses';
import { appendAddresses, appendOutputs, nullifyInputs } from './move-batches';
import { nullifyLeaves } from './nullify-leaves';
import { type Stage } from './stage';
import { intendAnything } from './transitions';

const FORESTRY_SHARE = 0.35;
const FORESTRY = [nullifyLeaves, insertAddresses, appendOutputs, nullifyInputs, appendAddresses];

/** A transaction as it could happen, with the events that it would report. Nothing of it becomes true. */
export function rehearseAnything(stage: Stage): TransactionDraft | null {
  const rehearsal = stage.rehearse();
  const forestry = stage.random.chance(FORESTRY_SHARE) ? stage.random.pick(FORESTRY)(rehearsal) : null;
  if (forestry) return forestry;
  const intent = intendAnything(rehearsal, () => true);
  return intent && carryAlone(rehearsal, intent);
}

/** A transaction that fails after its events were told. */
export function failTransaction(stage: Stage): TransactionDraft | null {
  const draft = rehearseAnything(stage);
  return draft && { ...draft, events: [], isFailed: true };
}
