import { EntitySchema } from 'typeorm';
import { column, key, nullable } from './columns';

/** A transaction with at least one compression event. */
export interface TransactionRow {
  signature: Buffer;
  slot: string;
  blockIndex: number;
  /** The `getTransaction` result as the node wrote it. */
  json: string;
  /** Hashes in event order. */
  consumed: Buffer[];
  created: Buffer[];
}

export const TransactionEntity = new EntitySchema<TransactionRow>({
  name: 'Transaction',
  tableName: 'transactions',
  columns: {
    signature: key(column('bytea'), 'transactions'),
    slot: column('bigint'),
    blockIndex: column('integer', 'block_index'),
    json: column('text'),
    consumed: { type: 'bytea', array: true },
    created: { type: 'bytea', array: true },
  },
  indices: [{ name: 'idx_transactions_slot', columns: ['slot'] }],
});

/** A transaction that could not be read in whole. */
export interface ParkedTransactionRow {
  slot: string;
  blockIndex: number;
  signature: Buffer | null;
  reasons: string[];
  json: string;
  parkedAt: Date;
}

export const ParkedTransactionEntity = new EntitySchema<ParkedTransactionRow>({
  name: 'ParkedTransaction',
  tableName: 'parked_transactions',
  columns: {
    slot: key(column('bigint'), 'parked_transactions'),
    blockIndex: key(column('integer', 'block_index'), 'parked_transactions'),
    signature: nullable('bytea'),
    reasons: { type: 'text', array: true },
    json: column('text'),
    parkedAt: { ...column('timestamptz', 'parked_at'), default: () => 'now()' },
  },
});
