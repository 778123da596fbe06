import { isDeepStrictEqual } from 'node:util';
import { pauseAfter } from '@fresnel/platform';
import { sleep } from '@fresnel/platform/time';
import { findDifference } from './find-difference';
import { type Outcome } from './verification';

/** An answer in the form in which it is compared, and the slot at which it is true. */
export interface Reading {
  slot: number;
  value: unknown;
  /** The cursor of the next page; null or absent: there is none. */
  next?: string | null;
}

/** An outcome, with the readings that are equal. */
export type Comparison = Exclude<Outcome, { result: 'equal' }> | { result: 'equal'; readings: [Reading, Reading] };

export type Asked = Reading | { failure: string };

export interface Asking {
  /** Pauses between attempts: an index that is behind needs some time. */
  pauses: { firstMs: number; longestMs: number };
  signal: AbortSignal;
}

/** How often a question is asked until two answers can be compared. */
export const MAX_ATTEMPTS = 5;

/**
 * Asks two indexes the same until two of their answers are true at one slot, and compares these.
 *
 * ```
 *   index      100: A ────────────── 104: A        A holds from 100 to 104, so it is compared with the answer of 102
 *   against            102: A
 * ```
 *
 * A difference counts if it is found twice, with new answers: an indexer may read slot and answer at two times.
 *
 * @throws the signal's reason
 */
export async function compareAnswers(
  askIndex: () => Promise<Asked>,
  askOther: () => Promise<Asked>,
  { pauses, signal }: Asking,
): Promise<Comparison> {
  let [index, other]: [Reading[], Reading[]] = [[], []];
  let reason = '';
  let isSeenOnce = false;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    if (attempt > 1) await sleep(pauseAfter(attempt - 1, pauses), signal);
    const [ours, theirs] = await Promise.all([askIndex(), askOther()]);
    signal.throwIfAborted();
    if ('failure' in ours) reason = `the index: ${ours.failure}`;
    else index.push(ours);
    if ('failure' in theirs) reason = `the other index: ${theirs.failure}`;
    else other.push(theirs);
    const pair = findPair(index, other);
    if (!pair) {
      if ('slot' in ours && 'slot' in theirs) {
        reason = `no answers of one slot: the last ones are of ${ours.slot} and ${theirs.slot}`;
      }
      continue;
    }
    const difference = findDifference(pair[0].value, pair[1].value);
    if (!difference) return { result: 'equal', readings: pair };
    if (isSeenOnce) {
      const [said, saidByOther] = difference.values;
      const answers = [
        { by: 'index', slot: pair[0].slot, answer: said },
        { by: 'against', slot: pair[1].slot, answer: saidByOther },
      ] as const;
      return { result: 'differs', at: difference.at, answers: [...answers] };
    }
    isSeenOnce = true;
    reason = 'the answers differed once, and later ones could not be compared';
    [index, other] = [[], []];
  }
  return { result: 'not-checked', reason };
}

/** Finds answers of both that are true at the same slot. */
export function findPair(index: readonly Reading[], other: readonly Reading[]): [Reading, Reading] | null {
  for (const ours of index) {
    const theirs = other.find(({ slot }) => slot === ours.slot);
    if (theirs) return [ours, theirs];
  }
  for (const theirs of other) {
    const ours = findEnclosing(index, theirs.slot);
    if (ours) return [ours, theirs];
  }
  for (const ours of index) {
    const theirs = findEnclosing(other, ours.slot);
    if (theirs) return [ours, theirs];
  }
  return null;
}

/** Finds an answer that is the same in the last reading before a slot and in the first one after it. */
function findEnclosing(readings: readonly Reading[], slot: number): Reading | null {
  const sorted = [...readings].sort((one, next) => one.slot - next.slot);
  const before = sorted.findLast((reading) => reading.slot < slot);
  const after = sorted.find((reading) => reading.slot > slot);
  return before && after && isDeepStrictEqual(before.value, after.value) ? after : null;
}
