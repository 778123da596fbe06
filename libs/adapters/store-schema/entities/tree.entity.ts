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
