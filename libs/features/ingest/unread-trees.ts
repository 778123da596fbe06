import { keyOf, toBase58 } from '@fresnel/domain/primitives';
import { type DeadLetter, type TransactionEvents } from '@fresnel/domain/state';
import { treeAccountsOf } from './tree-accounts';
import { type ResolvedTrees } from './tree-registry';

/**
 * Adds a dead letter for each transaction whose events name an account that may be a tree but could not be read. Its events
 * in other trees are not affected.
 *
 * @param deadLetters those of the parser
 * @returns all dead letters, at most one for each transaction
 */
export function addUnreadTrees(
  deadLetters: readonly DeadLetter[],
  transactions: readonly TransactionEvents[],
  unread: ResolvedTrees['unread'],
): DeadLetter[] {
  const byIndex = new Map(deadLetters.map((letter) => [letter.index, letter]));
  for (const { signature, index, events, json } of transactions) {
    const reasons = unreadReasons(events, unread);
    if (reasons.length === 0) continue;
    const known = byIndex.get(index)?.reasons ?? [];
    byIndex.set(index, { signature, index, reasons: [...known, ...reasons], json });
  }
  return [...byIndex.values()].sort((a, b) => a.index - b.index);
}

function unreadReasons(events: TransactionEvents['events'], unread: ResolvedTrees['unread']): string[] {
  const accounts = new Map(events.flatMap(treeAccountsOf).map((account) => [keyOf(account), account]));
  return [...accounts].flatMap(([key, account]) => {
    const reason = unread.get(key);
    return reason === undefined ? [] : [`tree account ${toBase58(account)} could not be read: ${reason}`];
  });
}
