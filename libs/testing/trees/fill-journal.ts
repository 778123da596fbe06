import { InMemoryTreeStore, NO_QUEUE_CHANGES, PostgresTreeJournal, toTreeLog } from '@fresnel/adapters/tree-store';
import { poseidon } from '@fresnel/domain/poseidon';
import { createTree, isAddressTree, MAX_ADDRESS, PAGE_BYTES, pageOf, type TreeInfo } from '@fresnel/domain/trees';
import { type DataSource } from 'typeorm';
import { commitTo } from './tree-store-under-test';

/** Levels of a page, and the leaves or pages below it. */
const PAGE_LEVELS = 4;
const PAGE_CHILDREN = 16;
const PAGES_PER_STEP = 100_000;

/** A linked list of random values: leaf 0, `count` addresses, and the last element at leaf 1. */
const INSERT_ELEMENTS = `
  WITH numbered AS (
    SELECT at AS leaf_index, CASE WHEN at = 0 THEN decode(repeat('00', 32), 'hex') WHEN at = 1 THEN $3::bytea
      ELSE '\\x00'::bytea || substring(sha256(at::text::bytea) FROM 2) END AS value
    FROM generate_series(0, $2::int + 1) AS at
  ), linked AS (
    SELECT *, lead(leaf_index, 1, 0) OVER by_value AS next_index,
      lead(value, 1, decode(repeat('00', 32), 'hex')) OVER by_value AS next_value
    FROM numbered WINDOW by_value AS (ORDER BY value)
  )
  INSERT INTO address_tree_elements (tree, leaf_index, value, next_index, next_value)
  SELECT $1, leaf_index, value, next_index, next_value FROM linked ORDER BY leaf_index`;

const insertPages = (table: string) => `
  INSERT INTO ${table} (tree_digest, page, nodes)
  SELECT key_digest($1), $2::bigint + at, decode(repeat(encode(sha256(at::text::bytea), 'hex'), ${PAGE_BYTES / 32}), 'hex')
  FROM generate_series($3::int, $4::int - 1) AS at`;

/**
 * Journals a tree of so many leaves without hashing: pages of random nodes and, of an address tree, elements in a random
 * order.
 */
export async function fillJournal(dataSource: DataSource, info: TreeInfo, count: number): Promise<void> {
  const store = await InMemoryTreeStore.open(poseidon, new PostgresTreeJournal(dataSource, toTreeLog()));
  const { head } = createTree(info, poseidon);
  const unchanged = {
    removed: [],
    queue: NO_QUEUE_CHANGES,
    inputQueue: NO_QUEUE_CHANGES,
    undo: [],
  };
  const tree = { head: { ...head, nextIndex: count + 2 }, elements: [], pages: new Map(), ...unchanged };
  await commitTo(store, [tree]);
  const hasElements = isAddressTree(info);
  if (hasElements) await dataSource.query(INSERT_ELEMENTS, [info.tree, count, MAX_ADDRESS]);
  const pageRows = insertPages(hasElements ? 'address_tree_pages' : 'state_tree_pages');
  for (let group = 0, pages = count; group * PAGE_LEVELS < info.height; group++) {
    pages = Math.ceil(pages / PAGE_CHILDREN);
    for (let from = 0; from < pages; from += PAGES_PER_STEP) {
      const to = Math.min(pages, from + PAGES_PER_STEP);
      await dataSource.query(pageRows, [info.tree, pageOf({ level: group * PAGE_LEVELS, index: 0 }), from, to]);
    }
  }
  await dataSource.query('VACUUM ANALYZE');
}
