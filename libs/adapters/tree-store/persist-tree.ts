import { toTreeRow } from '@fresnel/adapters/store-schema';
import { FencedError } from '@fresnel/contracts/messages';
import { type Pubkey, toBase58 } from '@fresnel/domain/primitives';
import { type IndexedElement, PAGE_BYTES, type PageId, type TreeHead, type TreeInfo } from '@fresnel/domain/trees';
import { type EntityManager } from 'typeorm';
import { type JournalEntry } from './journal-entry';
import { tablesOf } from './journal-tables';
import { persistQueues } from './persist-queues';
import { type EntryId, type TreeCommit, type TreeEntry, undoNumbers } from './tree-store';
import { encodeUndo } from './undo.codec';

/** Writes a head if the tree is still at the entry `on`; null: if it does not exist. @throws FencedError */
export async function writeHead(
  manager: EntityManager,
  head: TreeHead,
  on: EntryId | null,
  { id, block }: Pick<JournalEntry, 'id' | 'block'>,
): Promise<void> {
  const row = { ...toTreeRow(head), entry: id, slot: block?.slot, blockhash: block?.blockhash };
  const columns = Object.keys(row);
  const values: unknown[] = Object.values(row);
  const { heads } = tablesOf(head.info);
  const statement =
    on === null
      ? `INSERT INTO ${heads} (${columns.join(', ')}) VALUES (${columns.map((_, at) => `$${at + 1}`).join(', ')})
         ON CONFLICT DO NOTHING RETURNING 1`
      : `WITH written AS (
           UPDATE ${heads} SET ${columns.map((column, at) => `${column} = $${at + 1}`).join(', ')}
           WHERE tree = $1 AND entry = $${columns.length + 1} RETURNING 1)
         SELECT * FROM written`;
  const written = await manager.query<unknown[]>(statement, on === null ? values : [...values, on]);
  if (written.length > 0) return;
  throw new FencedError(`tree ${toBase58(head.info.tree)} was changed by another entry than ${on ?? 'none'}`);
}

/** Writes the changes of a tree. @throws FencedError */
export async function persistTree(manager: EntityManager, tree: TreeEntry, entry: JournalEntry): Promise<void> {
  const { info } = tree.head;
  await writeHead(manager, tree.head, tree.on, entry);
  await deleteElements(manager, tree);
  await upsertElements(manager, info.tree, tree.elements);
  await upsertPages(manager, info, tree.pages);
  await persistQueues(manager, tree);
  await replaceUndo(manager, tree, entry.id);
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
      elements.map(({ index }) => index),
      elements.map(({ value }) => value),
      elements.map(({ nextIndex }) => nextIndex),
      elements.map(({ nextValue }) => nextValue),
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

/** The last record names the entry. */
async function replaceUndo(manager: EntityManager, commit: TreeCommit, entry: EntryId): Promise<void> {
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
  const numbers = kept.map(({ before }) => before.changes.count);
  await manager.query(
    `INSERT INTO ${table} (tree, number, record, entry)
     SELECT $1, number, record, CASE WHEN number = $4 THEN $5::uuid END
     FROM unnest($2::bigint[], $3::bytea[]) AS list (number, record)`,
    [tree, numbers, kept.map(encodeUndo), numbers[numbers.length - 1], entry],
  );
}
