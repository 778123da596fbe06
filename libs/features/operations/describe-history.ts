import { type HistoryFinding } from '@fresnel/domain/chain';
import { toBase58 } from '@fresnel/domain/primitives';
import { type HistoryEstimate } from './estimate-history';
import { toTable } from './table';

/** What history lacks of a tree, as JSON. */
export interface FindingJson {
  tree: string;
  reason: string;
  sequenceNumbers: [number, number] | null;
  slots: [number, number];
}

export function toFindingJson({ tree, reason, sequenceNumbers, slots }: HistoryFinding): FindingJson {
  const numbers: FindingJson['sequenceNumbers'] = sequenceNumbers && [
    Number(sequenceNumbers[0]),
    Number(sequenceNumbers[1]),
  ];
  return { tree: toBase58(tree), reason, sequenceNumbers: numbers, slots };
}

/** A line of text. */
export function describeFinding({ tree, reason, sequenceNumbers, slots }: FindingJson): string {
  const numbers = sequenceNumbers ? `, sequence numbers ${sequenceNumbers[0]} to ${sequenceNumbers[1]}` : '';
  return `tree ${tree}: ${reason}${numbers}, slots ${slots[0]} to ${slots[1]}`;
}

/** The estimate as text for a terminal. */
export function describeEstimate({ slots, transactions, calls, price, seconds, sample }: HistoryEstimate): string {
  const number = (value: number) => value.toLocaleString('en-US', { maximumFractionDigits: 2 });
  const { estimate, low, high } = transactions;
  return `${toTable([
    ['slots', `${slots.from} to ${slots.to}`],
    ['transactions', `about ${number(estimate)}, with 90 % probability ${number(low)} to ${number(high)}`],
    ['requests', `about ${number(calls)}`],
    ['price', price === null ? 'not known: pass --price-per-call DOLLARS' : `about $${number(price)}`],
    ['time', `about ${describeDuration(seconds)}`],
    ['sample', `${sample.windows} of ${sample.ofWindows} windows of 10,000 slots, ${sample.calls} requests`],
  ])}\n`;
}

function describeDuration(seconds: number): string {
  if (seconds < 120) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${(minutes / 60).toFixed(1)} h`;
}
