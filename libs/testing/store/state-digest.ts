import { createHash } from 'node:crypto';
import { type DataSource } from 'typeorm';

/** Rows that are determined by the chain alone. Ids of trees are not, nor the blocks with which an ingest announces trees. */
const CHAIN_ROWS: Record<string, string> = {
  accounts: `SELECT t.tree, (to_jsonb(a) - 'tree_id')::text FROM accounts a JOIN trees t ON t.id = a.tree_id`,
  blocks: `SELECT (to_jsonb(b) - 'changes_trees')::text FROM blocks b`,
  owner_signatures: `TABLE owner_signatures`,
  spends: `TABLE spends`,
  token_holders: `TABLE token_holders`,
  token_owner_signatures: `TABLE token_owner_signatures`,
  transactions: `TABLE transactions`,
  tree_appends: `SELECT t.tree, p.slot, p.next_leaf_index FROM tree_appends p JOIN trees t ON t.id = p.tree_id`,
  trees: `SELECT (to_jsonb(t) - 'id')::text FROM trees t`,
};

/** Accounts and spends of indexed slots, with the effect of each. */
const INDEXED = `
  effects AS (
    SELECT a.created_by AS id, a.owner, a.token_owner, a.mint, a.amount FROM accounts a
    UNION ALL
    SELECT s.spent_by, a.owner, a.token_owner, a.mint, -a.amount FROM spends s JOIN accounts a USING (hash)
  ),
  chain AS MATERIALIZED (SELECT unnest(branch_slots(indexed_slot, first_slot - 1)) AS slot FROM indexer_state),
  indexed AS (
    SELECT * FROM effects
    WHERE id >> 16 IN (TABLE chain) OR id >> 16 < (SELECT min(slot) FROM blocks)
  )`;

/** What follows from the indexed facts and is not stored, or is stored and does not follow from them. */
const WRONG_ROWS = [
  [
    'token_holders',
    `SELECT mint, token_owner, sum(amount) FROM indexed WHERE mint IS NOT NULL GROUP BY 1, 2 HAVING sum(amount) <> 0`,
  ],
  ['owner_signatures', `SELECT DISTINCT owner, id FROM indexed WHERE owner IS NOT NULL`],
  ['token_owner_signatures', `SELECT DISTINCT token_owner, id FROM indexed WHERE token_owner IS NOT NULL`],
].map(
  ([table, expected]) => `
    WITH ${INDEXED}, expected AS (${expected})
    SELECT '${table}' AS table, wrong::text AS row FROM (
      (TABLE expected EXCEPT TABLE ${table}) UNION ALL (TABLE ${table} EXCEPT TABLE expected)) wrong`,
);

/**
 * A digest of the tables. Two databases have the same digest if and only if they store the same rows and the same indexed
 * slot.
 *
 * @throws if balances or signatures do not follow from the accounts
 */
export async function digestState(dataSource: DataSource): Promise<string> {
  for (const sql of WRONG_ROWS) {
    const wrong = await dataSource.query<object[]>(sql);
    if (wrong.length > 0) throw new Error(`rows that do not follow from the accounts: ${JSON.stringify(wrong)}`);
  }
  const digest = createHash('sha256');
  for (const [table, sql] of Object.entries(CHAIN_ROWS)) {
    const rows = await dataSource.query<{ row: string }[]>(`SELECT t::text AS row FROM (${sql}) t ORDER BY 1`);
    digest.update(`${table} ${rows.length}\n`);
    for (const { row } of rows) digest.update(`${row}\n`);
  }
  const [state] = await dataSource.query<object[]>(`SELECT first_slot, indexed_slot FROM indexer_state`);
  const deadLetters = await dataSource.query<object[]>(
    `SELECT slot, block_index, signature, reasons, json FROM dead_letters ORDER BY 1, 2`,
  );
  return digest.update(JSON.stringify([state, deadLetters])).digest('hex');
}
