import { type HistoryDeadLetter } from '@fresnel/adapters/store-write';
import { type FindingReason, type HistoryFinding } from '@fresnel/domain/chain';
import { findNamedAccounts, isUnreadable } from '@fresnel/domain/events';
import { type Slot, toSlot } from '@fresnel/domain/primitives';
import { readPlaceProblem, TreeDirectory } from '@fresnel/domain/state';
import { type TreeInfo } from '@fresnel/domain/trees';

/** Why a dead letter leaves history incomplete, and another source may have more; null if only a later version can read more of it. */
export function lossOf({ reasons }: Pick<HistoryDeadLetter, 'reasons'>): FindingReason | null {
  if (reasons.some(isUnreadable)) return 'transaction-lost';
  return reasons.map(readPlaceProblem).find((problem) => problem !== null) ?? null;
}

/** What is unknown of the trees that dead letters name: one finding for each tree and reason. */
export function findLosses(letters: readonly HistoryDeadLetter[], trees: readonly TreeInfo[]): HistoryFinding[] {
  const directory = new TreeDirectory(trees);
  const found = new Map<TreeInfo, Map<FindingReason, [Slot, Slot]>>();
  for (const letter of letters) {
    const reason = lossOf(letter);
    if (reason === null) continue;
    for (const tree of new Set(findNamedAccounts(letter.json).map((account) => directory.find(account)))) {
      if (!tree) continue;
      const ofTree = found.get(tree) ?? new Map<FindingReason, [Slot, Slot]>();
      const [from, to] = ofTree.get(reason) ?? [letter.slot, letter.slot];
      ofTree.set(reason, [toSlot(Math.min(from, letter.slot)), toSlot(Math.max(to, letter.slot))]);
      found.set(tree, ofTree);
    }
  }
  return [...found].flatMap(([{ tree }, reasons]) =>
    [...reasons].map(([reason, slots]): HistoryFinding => ({ tree, reason, sequenceNumbers: null, slots })),
  );
}
