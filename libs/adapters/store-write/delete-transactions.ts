import { type EntityManager } from 'typeorm';
import { deleteDeadLetters } from './dead-letters.statement';
import { findTransactions } from './transactions.statement';

const LISTED = `unnest($1::bytea[], $2::bigint[]) AS list (hash, id)`;
export const DELETE_ACCOUNTS = `
  DELETE FROM accounts a USING ${LISTED} WHERE a.hash = list.hash AND a.created_by = list.id`;
export const DELETE_SPENDS = `
  DELETE FROM spends s USING ${LISTED} WHERE s.hash = list.hash AND s.spent_by = list.id`;
export const DELETE_TRANSACTIONS = `DELETE FROM transactions WHERE id = ANY ($1::bigint[])`;

/** Deletes the transactions of slots with their accounts and spends, and the dead letters of the slots. */
export async function deleteTransactions(manager: EntityManager, slots: readonly number[]): Promise<void> {
  const transactions = await findTransactions(manager, slots);
  const list = (role: 'created' | 'consumed') => [
    transactions.flatMap((transaction) => transaction[role]),
    transactions.flatMap(({ id, ...transaction }) => transaction[role].map(() => id)),
  ];
  await manager.query(DELETE_ACCOUNTS, list('created'));
  await manager.query(DELETE_SPENDS, list('consumed'));
  await manager.query(DELETE_TRANSACTIONS, [transactions.map(({ id }) => id)]);
  await deleteDeadLetters(manager, slots);
}
