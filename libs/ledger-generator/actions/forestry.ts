import { type Call } from '../calls/call';
import { type EventFacts } from '../facts';
import { type TransactionDraft } from '../transaction/draft';
import { type Stage } from './stage';

const REPEAT_SHARE = 0.3;
const MAX_STEPS = 4;

/** One forester instruction and the event that it reports. */
export interface ForestryStep {
  event: EventFacts;
  call: Call;
}

/** A forester's transaction: a step, and more of its kind as long as there is work and it feels like it. */
export function repeatForestry(stage: Stage, takeStep: (stage: Stage) => ForestryStep | null): TransactionDraft | null {
  const steps: ForestryStep[] = [];
  while (steps.length < MAX_STEPS && (steps.length === 0 || stage.random.chance(REPEAT_SHARE))) {
    const step = takeStep(stage);
    if (!step) break;
    stage.settle(step.event);
    steps.push(step);
  }
  if (steps.length === 0) return null;
  return {
    signers: [stage.cast.forester.key],
    calls: steps.map(({ call }) => call),
    events: steps.map(({ event }) => event),
    isFailed: false,
  };
}
