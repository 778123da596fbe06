import { EntitySchema } from 'typeorm';
import { column, key, nullable } from './columns';

export interface TreeRow {
  tree: Buffer;
  queue: Buffer;
  treeType: number;
  height: number;
  rootHistoryCapacity: string;
  owner: Buffer | null;
  /** V2 state trees: leaves below this index left the output queue. */
  appendedLeaves: string;
}

export const TreeEntity = new EntitySchema<TreeRow>({
  name: 'Tree',
  tableName: 'trees',
  columns: {
    tree: key(column('bytea'), 'trees'),
    queue: column('bytea'),
    treeType: column('smallint', 'tree_type'),
    height: column('smallint'),
    rootHistoryCapacity: column('bigint', 'root_history_capacity'),
    owner: nullable('bytea'),
    appendedLeaves: { ...column('bigint', 'appended_leaves'), default: 0 },
  },
});

/** *By this slot, the leaves of a V2 state tree below an index left its output queue.* */
export interface TreeAppendRow {
  slot: string;
  tree: Buffer;
  nextLeafIndex: string;
}

export const TreeAppendEntity = new EntitySchema<TreeAppendRow>({
  name: 'TreeAppend',
  tableName: 'tree_appends',
  columns: {
    slot: key(column('bigint'), 'tree_appends'),
    tree: key(column('bytea'), 'tree_appends'),
    nextLeafIndex: column('bigint', 'next_leaf_index'),
  },
  indices: [{ name: 'idx_tree_appends_tree_next_leaf_index', columns: ['tree', 'nextLeafIndex'] }],
});
