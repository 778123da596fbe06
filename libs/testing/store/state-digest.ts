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

/** Balances as of the indexed slot that are only in one of the accounts and the holders. */
const WRONG_BALANCES = `
  WITH expected AS (
    SELECT mint, token_owner AS owner, sum(amount) AS balance FROM accounts a, indexer_state s
    WHERE mint IS NOT NULL AND amount > 0 AND slot_created <= s.indexed_slot
      AND (spent_slot IS NULL OR spent_slot > s.indexed_slot)
    GROUP BY 1, 2
  )
  (TABLE expected EXCEPT TABLE token_holders) UNION ALL (TABLE token_holders EXCEPT TABLE expected)`;

/**
 * A digest of the tables. Two databases have the same digest if and only if they store the same rows and the same indexed
 * slot.
 *
 * @throws if the balances are not those of the accounts
 */
export async function digestState(dataSource: DataSource): Promise<string> {
  const wrong = await dataSource.query<object[]>(WRONG_BALANCES);
  if (wrong.length > 0) throw new Error(`balances differ from those of the accounts: ${JSON.stringify(wrong)}`);
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
