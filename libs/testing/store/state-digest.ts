import { createHash } from 'node:crypto';
import { type DataSource } from 'typeorm';

/** Tables whose rows are determined by the chain alone. */
const CHAIN_TABLES = [
  'accounts',
  'blocks',
  'owner_signatures',
  'token_holders',
  'token_owner_signatures',
  'transactions',
  'tree_appends',
  'trees',
];

/**
 * A digest of the tables. Two databases have the same digest if and only if they store the same rows and the same indexed
 * slot.
 */
export async function digestState(dataSource: DataSource): Promise<string> {
  const digest = createHash('sha256');
  for (const table of CHAIN_TABLES) {
    const rows = await dataSource.query<{ row: string }[]>(`SELECT t::text AS row FROM ${table} t ORDER BY 1`);
    digest.update(`${table} ${rows.length}\n`);
    for (const { row } of rows) digest.update(`${row}\n`);
  }
  const [state] = await dataSource.query<object[]>(`SELECT first_slot, indexed_slot FROM indexer_state`);
  const deadLetters = await dataSource.query<object[]>(
    `SELECT slot, block_index, signature, reasons, json FROM dead_letters ORDER BY 1, 2`,
  );
  return digest.update(JSON.stringify([state, deadLetters])).digest('hex');
}
