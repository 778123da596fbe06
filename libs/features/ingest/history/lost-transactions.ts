import { type HistoryDeadLetter } from '@fresnel/adapters/store-write';
import { type FindingReason, type HistoryFinding } from '@fresnel/domain/chain';
import { findNamedAccounts, isUnreadable } from '@fresnel/domain/events';
import { keyOf, type Slot, toSlot } from '@fresnel/domain/primitives';
import { readPlaceProblem, TreeDirectory } from '@fresnel/domain/state';
import { type TreeInfo } from '@fresnel/domain/trees';

/** Why a dead letter leaves history incomplete, and another source may have more; null if only a later version can read more of it. */
export function lossOf({ reasons }: Pick<HistoryDeadLetter, 'reasons'>): FindingReason | null {
  if (reasons.some(isUnreadable)) return 'transaction-lost';
  return reasons.map(readPlaceProblem).find((problem) => problem !== null) ?? null;
}

/**
 * What is unknown of the trees that dead letters name: one finding for each tree and reason. Keys from lookup tables may be lost as well: a
 * transaction that names no tree concerns those of which something is missing in its slot.
 *
 * @param others what else is missing
 */
export function findLosses(
  letters: readonly HistoryDeadLetter[],
  trees: readonly TreeInfo[],
  others: readonly HistoryFinding[],
): HistoryFinding[] {
  const directory = new TreeDirectory(trees);
  const found = new Map<string, HistoryFinding>();
  for (const { slot, ...letter } of letters) {
    const reason = lossOf(letter);
    if (reason === null) continue;
    const named = findNamedAccounts(letter.json).flatMap((account) => directory.find(account)?.tree ?? []);
    const around = others.filter(({ slots: [from, to] }) => slot >= from && slot <= to).map(({ tree }) => tree);
    for (const tree of named.length > 0 ? named : around) {
      const key = `${keyOf(tree)} ${reason}`;
      const [from, to] = found.get(key)?.slots ?? [slot, slot];
      const slots: [Slot, Slot] = [toSlot(Math.min(from, slot)), toSlot(Math.max(to, slot))];
      found.set(key, { tree, reason, sequenceNumbers: null, slots });
    }
  }
  return [...found.values()];
}
