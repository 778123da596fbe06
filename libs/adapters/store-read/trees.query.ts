import { keyOf, type Pubkey } from '@fresnel/domain/primitives';
import { requireTreeType, type TreeType } from '@fresnel/domain/trees';
import { type Reader, type Statement } from './reader';

/** What the chain's account of a tree states. */
export interface TreeRecord {
  tree: Pubkey;
  queue: Pubkey;
  treeType: TreeType;
  rootHistoryCapacity: bigint;
}

export const TREES: Statement = {
  name: 'trees',
  text: `
    SELECT t.tree, t.queue, t.tree_type, t.root_history_capacity FROM trees t WHERE t.tree = ANY ($1::bytea[])`,
};

interface Row {
  tree: Pubkey;
  queue: Pubkey;
  tree_type: number;
  root_history_capacity: string;
}

/** Finds trees. @returns the known ones of them by `keyOf` their key */
export async function findTrees(reader: Reader, trees: readonly Pubkey[]): Promise<ReadonlyMap<string, TreeRecord>> {
  const rows = await reader.query<Row>(TREES, [trees]);
  return new Map(rows.map((row) => [keyOf(row.tree), toTreeRecord(row)]));
}

function toTreeRecord(row: Row): TreeRecord {
  return {
    tree: row.tree,
    queue: row.queue,
    treeType: requireTreeType(row.tree_type),
    rootHistoryCapacity: BigInt(row.root_history_capacity),
  };
}
