import { type Call } from '../calls/call';
import { type TransactionDraft } from '../transaction/draft';
import { type Carried, carryV2 } from './carry';
import { type Intent } from './intent';
import { type Stage } from './stage';
import { intendAnything } from './transitions';
import { callProgram } from './wrap';

const MIN_EVENTS = 2;
const MAX_EVENTS = 4;

/** One instruction of one program that leads to several transitions, by itself or through other programs. */
export function severalEvents(stage: Stage): TransactionDraft | null {
  const parts: { intent: Intent; carried: Carried }[] = [];
  for (let left = stage.random.between(MIN_EVENTS, MAX_EVENTS); left > 0; left--) {
    const intent = intendAnything(stage, ({ program }) => program !== null);
    if (intent) parts.push({ intent, carried: carryV2(stage, intent) });
  }
  if (parts.length === 0) return null;
  const router = parts[0].intent.program ?? stage.cast.program();
  const callsOf = ({ intent: { program }, carried: { calls } }: (typeof parts)[number]): readonly Call[] =>
    program === null || program.equals(router) ? calls : [callProgram(stage, program, calls)];
  return {
    signers: parts.map(({ intent }) => intent.payer),
    calls: [callProgram(stage, router, parts.flatMap(callsOf))],
    events: parts.map(({ carried }) => carried.facts),
    isFailed: false,
  };
}
