import { keyOf, toBase58 } from '@fresnel/domain/primitives';
import { type DeadLetter, mergeDeadLetters, type TransactionEvents } from '@fresnel/domain/state';
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
  const added = transactions.flatMap(({ signature, index, events, json }): DeadLetter[] => {
    const reasons = unreadReasons(events, unread);
    return reasons.length === 0 ? [] : [{ signature, index, reasons, json }];
  });
  return mergeDeadLetters(deadLetters, added);
}

function unreadReasons(events: TransactionEvents['events'], unread: ResolvedTrees['unread']): string[] {
  const accounts = new Map(events.flatMap(treeAccountsOf).map((account) => [keyOf(account), account]));
  return [...accounts].flatMap(([key, account]) => {
    const reason = unread.get(key);
    return reason === undefined ? [] : [`tree account ${toBase58(account)} could not be read: ${reason}`];
  });
}
