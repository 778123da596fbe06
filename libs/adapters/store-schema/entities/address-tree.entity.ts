import { EntitySchema } from 'typeorm';
import { column, key, nullable, u64 } from './columns';

/** An address tree without its contents. */
export interface AddressTreeRow {
  tree: Buffer;
  queue: Buffer;
  treeType: number;
  height: number;
  rootHistoryCapacity: string;
  owner: Buffer | null;
  observedSlot: string;
  observedSeq: string;
  observedNextIndex: string;
  observedQueueEnd: string;
  observedRoot: Buffer | null;
  seq: string;
  nextIndex: string;
  root: Buffer;
  queueEnd: string;
  seenSeq: string;
  seenQueueEnd: string;
  fault: string | null;
  changedTimes: string;
  changedSlot: string;
  doubtedFrom: string | null;
  doubtedTo: string | null;
}

export const AddressTreeEntity = new EntitySchema<AddressTreeRow>({
  name: 'AddressTree',
  tableName: 'address_trees',
  columns: {
    tree: key(column('bytea'), 'address_trees'),
    queue: column('bytea'),
    treeType: column('smallint', 'tree_type'),
    height: column('smallint'),
    rootHistoryCapacity: column('bigint', 'root_history_capacity'),
    owner: nullable('bytea'),
    observedSlot: column('bigint', 'observed_slot'),
    observedSeq: u64('observed_seq'),
    observedNextIndex: u64('observed_next_index'),
    observedQueueEnd: u64('observed_queue_end'),
    observedRoot: nullable('bytea', 'observed_root'),
    seq: u64(),
    nextIndex: column('bigint', 'next_index'),
    root: column('bytea'),
    queueEnd: u64('queue_end'),
    seenSeq: u64('seen_seq'),
    seenQueueEnd: u64('seen_queue_end'),
    fault: nullable('text'),
    changedTimes: column('bigint', 'changed_times'),
    changedSlot: column('bigint', 'changed_slot'),
    doubtedFrom: nullable('bigint', 'doubted_from'),
    doubtedTo: nullable('bigint', 'doubted_to'),
  },
});

export interface AddressTreeElementRow {
  tree: Buffer;
  leafIndex: string;
  value: Buffer;
  nextIndex: string;
  nextValue: Buffer;
}

export const AddressTreeElementEntity = new EntitySchema<AddressTreeElementRow>({
  name: 'AddressTreeElement',
  tableName: 'address_tree_elements',
  columns: {
    tree: key(column('bytea'), 'address_tree_elements'),
    leafIndex: key(column('bigint', 'leaf_index'), 'address_tree_elements'),
    value: column('bytea'),
    nextIndex: column('bigint', 'next_index'),
    nextValue: column('bytea', 'next_value'),
  },
});

/** Four levels of nodes. */
export interface AddressTreePageRow {
  tree: Buffer;
  page: string;
  nodes: Buffer;
}

export const AddressTreePageEntity = new EntitySchema<AddressTreePageRow>({
  name: 'AddressTreePage',
  tableName: 'address_tree_pages',
  columns: {
    tree: key(column('bytea'), 'address_tree_pages'),
    page: key(column('bigint'), 'address_tree_pages'),
    nodes: column('bytea'),
  },
});

/** An address that waits for its batch. */
export interface QueuedAddressRow {
  tree: Buffer;
  queueIndex: string;
  address: Buffer;
}

export const QueuedAddressEntity = new EntitySchema<QueuedAddressRow>({
  name: 'QueuedAddress',
  tableName: 'address_tree_queue',
  columns: {
    tree: key(column('bytea'), 'address_tree_queue'),
    queueIndex: key(u64('queue_index'), 'address_tree_queue'),
    address: column('bytea'),
  },
});

/** How to take a block's changes of a tree back. */
export interface AddressTreeUndoRow {
  tree: Buffer;
  number: string;
  record: Buffer;
}

export const AddressTreeUndoEntity = new EntitySchema<AddressTreeUndoRow>({
  name: 'AddressTreeUndo',
  tableName: 'address_tree_undo',
  columns: {
    tree: key(column('bytea'), 'address_tree_undo'),
    number: key(column('bigint'), 'address_tree_undo'),
    record: column('bytea'),
  },
});

/** What is remembered of a partition's blocks. */
export interface AddressTreeBlocksRow {
  partition: number;
  blocks: Buffer;
}

export const AddressTreeBlocksEntity = new EntitySchema<AddressTreeBlocksRow>({
  name: 'AddressTreeBlocks',
  tableName: 'address_tree_blocks',
  columns: { partition: key(column('integer'), 'address_tree_blocks'), blocks: column('bytea') },
});

/** One row: the slot up to which all address trees are applied. */
export interface AddressTreeStateRow {
  id: number;
  slot: string | null;
}

export const AddressTreeStateEntity = new EntitySchema<AddressTreeStateRow>({
  name: 'AddressTreeState',
  tableName: 'address_tree_state',
  columns: {
    id: key({ ...column('smallint'), default: 1 }, 'address_tree_state'),
    slot: nullable('bigint'),
  },
  checks: [{ name: 'address_tree_state_one_row', expression: 'id = 1' }],
});
