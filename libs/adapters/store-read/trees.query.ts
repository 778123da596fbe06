import { keyOf, type Pubkey } from '@fresnel/domain/primitives';
import { requireTreeType, TREE_TYPES, type TreeType } from '@fresnel/domain/trees';
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

const V2_TREES: Statement = {
  name: 'v2-trees',
  text: `
    SELECT t.tree, t.queue, t.tree_type, t.root_history_capacity FROM trees t
    WHERE t.tree_type IN (${TREE_TYPES.stateV2}, ${TREE_TYPES.addressV2})`,
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

/** Finds all V2 trees. A chain has a few dozen trees. */
export async function findV2Trees(reader: Reader): Promise<TreeRecord[]> {
  return (await reader.query<Row>(V2_TREES, [])).map(toTreeRecord);
}

function toTreeRecord(row: Row): TreeRecord {
  return {
    tree: row.tree,
    queue: row.queue,
    treeType: requireTreeType(row.tree_type),
    rootHistoryCapacity: BigInt(row.root_history_capacity),
  };
}
