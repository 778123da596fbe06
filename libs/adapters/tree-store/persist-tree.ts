import { arrayParameter } from '@fresnel/adapters/store-schema';
import { type Pubkey } from '@fresnel/domain/primitives';
import { type IndexedElement, PAGE_BYTES, type PageId, type TreeHead, type TreeInfo } from '@fresnel/domain/trees';
import { type EntityManager } from 'typeorm';
import { tablesOf } from './journal-tables';
import { persistQueues } from './persist-queues';
import { toRow } from './tree.row';
import { type TreeCommit, undoNumbers } from './tree-store';
import { encodeUndo } from './undo.codec';

/** Inserts or updates the head of a tree. */
export async function upsertHead(manager: EntityManager, head: TreeHead): Promise<void> {
  const entries = Object.entries(toRow(head));
  const columns = entries.map(([column]) => column);
  await manager.query(
    `INSERT INTO ${tablesOf(head.info).heads} (${columns.join(', ')}) VALUES (${columns.map((_, at) => `$${at + 1}`).join(', ')})
     ON CONFLICT (tree) DO UPDATE SET ${columns.map((column) => `${column} = excluded.${column}`).join(', ')}`,
    entries.map(([, value]) => value as unknown),
  );
}

/** Writes the changes of a tree. */
export async function persistTree(manager: EntityManager, commit: TreeCommit): Promise<void> {
  const { info } = commit.head;
  await upsertHead(manager, commit.head);
  await deleteElements(manager, commit);
  await upsertElements(manager, info.tree, commit.elements);
  await upsertPages(manager, info, commit.pages);
  await persistQueues(manager, commit);
  await replaceUndo(manager, commit);
}

async function deleteElements(manager: EntityManager, { head, removed }: TreeCommit): Promise<void> {
  if (removed.length === 0) return;
  await manager.query(`DELETE FROM address_tree_elements WHERE tree = $1 AND leaf_index = ANY ($2::bigint[])`, [
    head.info.tree,
    removed.map(({ index }) => index),
  ]);
}

export async function upsertElements(
  manager: EntityManager,
  tree: Pubkey,
  elements: readonly IndexedElement[],
): Promise<void> {
  if (elements.length === 0) return;
  await manager.query(
    `INSERT INTO address_tree_elements (tree, leaf_index, value, next_index, next_value)
     SELECT $1, * FROM unnest($2::bigint[], $3::bytea[], $4::bigint[], $5::bytea[])
     ON CONFLICT (tree, leaf_index) DO UPDATE SET
       value = excluded.value, next_index = excluded.next_index, next_value = excluded.next_value`,
    [
      tree,
      arrayParameter('bigint', elements, ({ index }) => index),
      arrayParameter('bytea', elements, ({ value }) => value),
      arrayParameter('bigint', elements, ({ nextIndex }) => nextIndex),
      arrayParameter('bytea', elements, ({ nextValue }) => nextValue),
    ],
  );
}

/** All pages are one parameter: as an array they become text, which takes ten times as long on the event loop. */
export async function upsertPages(
  manager: EntityManager,
  info: TreeInfo,
  pages: ReadonlyMap<PageId, Buffer>,
): Promise<void> {
  if (pages.size === 0) return;
  await manager.query(
    `INSERT INTO ${tablesOf(info).pages} (tree_digest, page, nodes)
     SELECT key_digest($1), page, substring($3::bytea FROM 1 + (at::int - 1) * ${PAGE_BYTES} FOR ${PAGE_BYTES})
     FROM unnest($2::bigint[]) WITH ORDINALITY AS pages (page, at)
     ON CONFLICT (tree_digest, page) DO UPDATE SET nodes = excluded.nodes`,
    [info.tree, [...pages.keys()], Buffer.concat([...pages.values()])],
  );
}

async function replaceUndo(manager: EntityManager, commit: TreeCommit): Promise<void> {
  const { tree } = commit.head.info;
  const { undo: table } = tablesOf(commit.head.info);
  const { first, oldestKept } = undoNumbers(commit);
  await manager.query(`DELETE FROM ${table} WHERE tree = $1 AND (number >= $2 OR number < $3)`, [
    tree,
    first,
    oldestKept,
  ]);
  const kept = commit.undo.filter(({ before }) => before.changes.count >= oldestKept);
  if (kept.length === 0) return;
  await manager.query(
    `INSERT INTO ${table} (tree, number, record) SELECT $1, * FROM unnest($2::bigint[], $3::bytea[])`,
    [tree, kept.map(({ before }) => before.changes.count), arrayParameter('bytea', kept, encodeUndo)],
  );
}
