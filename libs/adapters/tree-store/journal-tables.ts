import { isAddressTree, type TreeInfo } from '@fresnel/domain/trees';

/** The tables of the journal that store a tree. Both kinds of trees have pages and undo records in the same columns. */
export interface JournalTables {
  heads: string;
  pages: string;
  queue: string;
  undo: string;
}

const ADDRESS_TABLES: JournalTables = {
  heads: 'address_trees',
  pages: 'address_tree_pages',
  queue: 'address_tree_queue',
  undo: 'address_tree_undo',
};

const STATE_TABLES: JournalTables = {
  heads: 'state_trees',
  pages: 'state_tree_pages',
  queue: 'state_tree_queue',
  undo: 'state_tree_undo',
};

/** The tables of both kinds of trees. */
export const JOURNAL_TABLES: readonly JournalTables[] = [ADDRESS_TABLES, STATE_TABLES];

/** The tables of a tree. */
export function tablesOf(info: TreeInfo): JournalTables {
  return isAddressTree(info) ? ADDRESS_TABLES : STATE_TABLES;
}

/** Queues of `state_tree_queue`, with their codes on the chain. */
export const STATE_QUEUES = { input: 3, output: 5 } as const;
