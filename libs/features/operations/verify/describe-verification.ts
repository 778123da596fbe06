import { toTable } from '../table';
import { CHECK_KINDS, type Difference, type Said, type Verification } from './verification';

/** Differences and reasons in the text for a terminal; JSON has more of them. */
const MAX_SHOWN = 20;
const MAX_ANSWER_LENGTH = 400;

const RESULTS: Record<Verification['result'], string> = {
  equal: 'equal: no difference was found',
  differs: 'differs',
  'not-checked-enough': 'not checked enough: no difference was found, but too much could not be checked',
};

/** The report as JSON. Integers above 2^53 are strings. */
export function toVerificationJson(verification: Verification): string {
  return JSON.stringify(verification, toExactText, 2);
}

/** The report as text for a terminal. */
export function describeVerification(verification: Verification): string {
  const { result, seed, samples, isComplete, isInterrupted, counts, cutLists, differences, notChecked } = verification;
  const rows = CHECK_KINDS.filter((kind) => counts[kind].asked > 0).map((kind) => {
    const { asked, differ, notChecked: unchecked } = counts[kind];
    return [kind, String(asked), String(differ), String(unchecked)];
  });
  const parts = [toTable([['', 'checked', 'differ', 'not checked'], ...rows])];
  parts.push(...differences.slice(0, MAX_SHOWN).map(describeDifference));
  if (differences.length > MAX_SHOWN) parts.push(`and ${differences.length - MAX_SHOWN} more differences: see --json`);
  const unchecked = notChecked.slice(0, MAX_SHOWN).map(({ question, reason }) => `not checked: ${question}: ${reason}`);
  if (unchecked.length > 0) parts.push(unchecked.join('\n'));
  if (cutLists > 0) parts.push(`lists with later pages that were not compared: ${cutLists}`);
  const sample = `${samples} ${isComplete ? 'transactions, all of the index' : `random transactions, seed ${seed}`}`;
  parts.push(`${isInterrupted ? 'interrupted; ' : ''}${RESULTS[result]} (${sample})`);
  return `${parts.join('\n\n')}\n`;
}

function describeDifference({ kind, question, at, answers }: Difference): string {
  const place = at === '' ? '' : `, at ${at}`;
  return [`${kind}: ${question}${place}`, ...answers.map(describeSaid)].join('\n');
}

const SIDES: Record<Said['by'], string> = {
  index: 'the index',
  against: 'the other index',
  node: 'the chain',
  hashing: 'by hashing',
};

function describeSaid({ by, slot, answer }: Said): string {
  const text = JSON.stringify(answer, toExactText);
  const shown = text.length > MAX_ANSWER_LENGTH ? `${text.slice(0, MAX_ANSWER_LENGTH)}…` : text;
  return `  ${SIDES[by]}${slot === null ? '' : ` (slot ${slot})`}: ${shown}`;
}

function toExactText(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
