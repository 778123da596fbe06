import { type AccountRecord, LISTED_RECORD, readAccount, readTree } from './account-record';
import { type WithIndexedSlot } from './indexed-slot';
import { type PackedRow, PackedRows } from './packed-rows';
import { joinTree } from './queued-leaf';

/** The row of a page of accounts. */
export type AccountListRow = WithIndexedSlot & {
  /** LISTED_RECORDs, in base64: the driver receives all values as text, and that of `bytea` is a half longer. */
  records: string | null;
  /** The trees of these accounts, each once: there are few. */
  trees: Buffer | null;
};

const TREES = `
  SELECT string_agg(record_send(ROW(listed.tree_id, t.tree, t.queue, t.tree_type, coalesce(t.appended_leaves, 0))), '')
  FROM unnest(found.tree_ids) listed (tree_id) ${joinTree('listed.tree_id')}`;

/**
 * Selects a page of unspent accounts as one row, as of the indexed slot of `indexer_state s`.
 *
 * @param page SQL of a page of `unspent_accounts u`, sorted: its hashes, and the other columns of its order
 * @param order these columns, as in the page: Postgres does not sort again
 * @param index what follows FROM: `indexer_state s`, and what the page needs
 * @param columns further columns
 */
export function accountList(page: string, order: string, index = 'indexer_state s', columns = ''): string {
  return `
    SELECT s.indexed_slot, ${columns} encode(found.records, 'base64') AS records, (${TREES}) AS trees
    FROM ${index} CROSS JOIN LATERAL (
      SELECT string_agg(${LISTED_RECORD}, '' ORDER BY ${order}) AS records, array_agg(DISTINCT a.tree_id) AS tree_ids
      FROM (${page}) page JOIN accounts a ON a.hash = page.hash
    ) found`;
}

/** The accounts of a page. They are read one by one. */
export function readAccountList({ records, trees }: AccountListRow): PackedRows<AccountRecord> {
  const treesById = new Map(new PackedRows(trees, readListedTree));
  return new PackedRows(records === null ? null : Buffer.from(records, 'base64'), (row) =>
    readAccount(row, (leafIndex) => {
      const listed = treesById.get(row.integer());
      if (!listed) throw new TypeError('the tree of an account is not stored');
      const { tree, queue, treeType, appendedLeaves } = listed;
      const isQueued = treeType === 'stateV2' && leafIndex >= appendedLeaves;
      return { tree, queue, treeType, isQueued, nullification: null };
    }),
  );
}

function readListedTree(row: PackedRow) {
  const id = row.integer();
  return [id, { ...readTree(row), appendedLeaves: row.integer() }] as const;
}
