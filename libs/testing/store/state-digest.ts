import { type DataSource } from 'typeorm';

/**
 * Rows that are determined by the chain alone. Ids of trees are not, nor the blocks with which an ingest announces trees, nor
 * whether signatures of all transactions are recorded.
 */
const CHAIN_ROWS: Record<string, string> = {
  accounts: `SELECT t.tree, (to_jsonb(a) - 'tree_id')::text FROM accounts a JOIN trees t ON t.id = a.tree_id`,
  migrated_leaves: `
    SELECT t.tree, v1.tree AS v1_tree, (to_jsonb(m) - 'tree_id' - 'v1_tree_id')::text
    FROM migrated_leaves m JOIN trees t ON t.id = m.tree_id LEFT JOIN trees v1 ON v1.id = m.v1_tree_id`,
  output_queue_ends: `
    SELECT t.tree, (to_jsonb(e) - 'tree_id')::text FROM output_queue_ends e JOIN trees t ON t.id = e.tree_id`,
  blocks: `SELECT (to_jsonb(b) - 'changes_trees')::text FROM blocks b`,
  owner_lamports: `TABLE owner_lamports`,
  owner_signatures: `TABLE owner_signatures`,
  spends: `TABLE spends`,
  token_holders: `TABLE token_holders`,
  token_owner_signatures: `TABLE token_owner_signatures`,
  transactions: `TABLE transactions`,
  tree_appends: `SELECT t.tree, p.slot, p.next_leaf_index FROM tree_appends p JOIN trees t ON t.id = p.tree_id`,
  trees: `SELECT (to_jsonb(t) - 'id')::text FROM trees t`,
  unspent_accounts: `TABLE unspent_accounts`,
};

/** The slots of the kept blocks from the indexed one back along the parents. */
const BRANCH = `
  WITH RECURSIVE branch AS (
    SELECT b.slot, b.parent_slot, b.parent_blockhash FROM blocks b JOIN indexer_state s ON b.slot = s.indexed_slot
    UNION ALL
    SELECT b.slot, b.parent_slot, b.parent_blockhash FROM branch
    JOIN blocks b ON b.slot = branch.parent_slot AND b.blockhash = branch.parent_blockhash
  )
  SELECT slot FROM branch`;

/** Accounts and spends of indexed slots, with the effect of each. An attested slot may be stored after the index has passed it. */
const INDEXED = `
  effects AS (
    SELECT a.created_by AS id, 1 AS change, a.* FROM accounts a
    UNION ALL
    SELECT s.spent_by, -1, a.* FROM spends s JOIN accounts a USING (hash)
  ),
  chain AS MATERIALIZED (${BRANCH}),
  indexed AS (
    SELECT * FROM effects
    WHERE id >> 16 IN (TABLE chain) OR id >> 16 < (SELECT min(slot) FROM blocks)
      OR id >> 16 <= (SELECT least(max(r.to_slot), max(s.indexed_slot)) FROM attested_ranges r, indexer_state s)
  )`;

/** What follows from the indexed facts and is not stored, or is stored and does not follow from them. */
const WRONG_ROWS = [
  [
    'token_holders',
    `SELECT mint, token_owner, sum(change * amount) FROM indexed WHERE mint IS NOT NULL
     GROUP BY 1, 2 HAVING sum(change * amount) <> 0`,
  ],
  [
    'owner_lamports',
    `SELECT key_digest(owner), sum(change * lamports) FROM indexed WHERE owner IS NOT NULL
     GROUP BY 1 HAVING sum(change * lamports) <> 0`,
  ],
  [
    'unspent_accounts',
    `SELECT key_digest(owner), key_digest(token_owner), key_digest(delegate),
       key_digest(coalesce(onchain_pubkey, CASE WHEN mint IS NOT NULL THEN ata_owner END)), leaf_index, hash, mint
     FROM indexed WHERE owner IS NOT NULL GROUP BY hash, 1, 2, 3, 4, 5, 7 HAVING sum(change) > 0`,
  ],
  ['owner_signatures', `SELECT DISTINCT key_digest(owner), id FROM indexed WHERE owner IS NOT NULL`],
  ['token_owner_signatures', `SELECT DISTINCT key_digest(token_owner), id FROM indexed WHERE token_owner IS NOT NULL`],
].map(
  ([table, expected]) => `
    WITH ${INDEXED}, expected AS (${expected})
    SELECT '${table}' AS table, wrong::text AS row FROM (
      (TABLE expected EXCEPT ALL TABLE ${table}) UNION ALL (TABLE ${table} EXCEPT ALL TABLE expected)) wrong`,
);

/** Programs that own accounts with addresses and data, and are not stored. A revert leaves others. */
const MISSING_PROGRAMS = `
  SELECT 'address_programs' AS table, a.owner::text AS row FROM accounts a JOIN indexer_state s
    ON a.created_by >> 16 <= s.indexed_slot
  WHERE a.owner IS NOT NULL AND a.address IS NOT NULL AND a.data_hash IS NOT NULL
    AND a.created_by >> 16 IN (${BRANCH})
    AND NOT EXISTS (SELECT FROM address_programs p WHERE p.program = a.owner)`;

/**
 * A digest of the tables: a line for each with its number of rows and their hash, so that a difference names the table. Two
 * databases have the same digest if and only if they store the same rows and the same indexed slot.
 *
 * @throws if lists, balances or signatures do not follow from the accounts
 */
export async function digestState(dataSource: DataSource): Promise<string> {
  for (const sql of [...WRONG_ROWS, MISSING_PROGRAMS]) {
    const wrong = await dataSource.query<object[]>(sql);
    if (wrong.length > 0) throw new Error(`rows that do not follow from the accounts: ${JSON.stringify(wrong)}`);
  }
  const lines: string[] = [];
  for (const [table, sql] of Object.entries(CHAIN_ROWS)) {
    const [{ rows, hash }] = await dataSource.query<{ rows: string; hash: string | null }[]>(
      `SELECT count(*) AS rows, md5(string_agg(md5(t::text), '' ORDER BY md5(t::text))) AS hash FROM (${sql}) t`,
    );
    lines.push(`${table} ${rows} ${hash}`);
  }
  const [state] = await dataSource.query<object[]>(`SELECT first_slot, indexed_slot FROM indexer_state`);
  const deadLetters = await dataSource.query<object[]>(
    `SELECT slot, block_index, signature, reasons, json FROM dead_letters ORDER BY 1, 2`,
  );
  return [...lines, JSON.stringify([state, deadLetters])].join('\n');
}

/** The lines of a digest without that of the blocks: sparse blocks have other hashes, and some only end a page. */
export function withoutBlocks(digest: string): string[] {
  return digest.split('\n').filter((line) => !line.startsWith('blocks '));
}
