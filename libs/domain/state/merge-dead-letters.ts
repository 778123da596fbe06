import { type DeadLetter } from './slot-events';

/** The dead letters of one slot: at most one for each transaction, with all reasons, in the order of the block. */
export function mergeDeadLetters(...lists: (readonly DeadLetter[])[]): DeadLetter[] {
  const byIndex = new Map<number, DeadLetter>();
  for (const letter of lists.flat()) {
    const known = byIndex.get(letter.index);
    byIndex.set(letter.index, known ? { ...known, reasons: [...known.reasons, ...letter.reasons] } : letter);
  }
  return [...byIndex.values()].sort((a, b) => a.index - b.index);
}
