import { columnNames, SPEND_COLUMNS, type SpendColumn } from '@fresnel/adapters/store-schema';
import { type ConsumedAccount } from '@fresnel/domain/state';
import { type EntityManager } from 'typeorm';
import { type FactsOfSlot, findOtherIds, type WithTransactionId } from './facts-of-slot';

const PARAMETERS = columnNames(SPEND_COLUMNS).map((column, at) => `$${at + 1}::${SPEND_COLUMNS[column]}[]`);

const INSERT_SPENDS = `
  WITH inserted AS (
    INSERT INTO spends (${columnNames(SPEND_COLUMNS).join(', ')})
    SELECT * FROM unnest(${PARAMETERS.join(', ')})
    ORDER BY 1, 2
    ON CONFLICT DO NOTHING
    RETURNING 1
  )
  SELECT count(*)::integer AS written FROM inserted`;

/** An account is spent once. It is spent in two slots only until one of them is reverted. */
export const SPENT_BY_OTHERS = `
  SELECT list.id FROM unnest($1::bytea[], $2::bigint[]) AS list (hash, id)
  JOIN spends s ON s.hash = list.hash
  WHERE s.spent_by <> list.id`;

type Consumed = WithTransactionId<ConsumedAccount>;

const VALUES: Record<SpendColumn, (account: Consumed) => Buffer | bigint | number | null> = {
  hash: ({ hash }) => hash,
  spent_by: ({ transactionId }) => transactionId,
  tx_hash: ({ nullification }) => nullification?.txHash ?? null,
  nullifier: ({ nullification }) => nullification?.nullifier ?? null,
  nullifier_queue_index: ({ nullification }) => nullification?.queueIndex ?? null,
};

/**
 * Stores *account H was consumed by transaction T* for many accounts. The accounts may be stored later.
 *
 * @returns slots with an account that another transaction consumed
 */
export async function insertSpends(manager: EntityManager, facts: readonly FactsOfSlot[]): Promise<number[]> {
  const consumed = facts.flatMap(({ consumed }) => consumed);
  if (consumed.length === 0) return [];
  const parameters = columnNames(SPEND_COLUMNS).map((column) => consumed.map(VALUES[column]));
  const [{ written }] = await manager.query<{ written: number }[]>(INSERT_SPENDS, parameters);
  return written === consumed.length ? [] : findOtherIds(manager, SPENT_BY_OTHERS, consumed);
}
