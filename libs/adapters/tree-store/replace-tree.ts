import { randomUUID } from 'node:crypto';
import { toTreeHead, type TreeRow } from '@fresnel/adapters/store-schema';
import { FresnelError, type Slot, toBase58 } from '@fresnel/domain/primitives';
import { highestPositions, type TreeHead } from '@fresnel/domain/trees';
import { type DataSource, type EntityManager } from 'typeorm';
import { type EntryRow, toBlockAtSlot } from './tree.row';
import { tablesOf } from './journal-tables';
import { insertQueued } from './persist-queues';
import { upsertElements, upsertPages, writeHead } from './persist-tree';
import { type RebuiltTree } from './rebuild-tree';
import { TreeRepublications } from './tree-republications';
import { type BlockAtSlot, type EntryId } from './tree-store';

/** Rows of one statement. */
const ELEMENTS_PER_STATEMENT = 10_000;
const PAGES_PER_STATEMENT = 2_000;
const QUEUED_PER_STATEMENT = 10_000;

/** The stored tree is not the one from which the new one was computed. */
export class TreeChangedError extends FresnelError {
  readonly code = 'tree-changed';
  readonly isRetryable = true;
}

/**
 * Replaces a tree in the journal by a rebuilt one, in one transaction. It gives new entries to the tree and to all partitions, so that
 * commits of writers that do not know them are refused. Until it ends, no writer commits.
 *
 * @param before the head that the new tree was computed from
 * @param fromSlot ingest publishes the operations from this slot on again
 * @throws TreeChangedError
 */
export async function replaceTree(
  dataSource: DataSource,
  before: TreeHead,
  rebuilt: RebuiltTree,
  fromSlot: Slot,
): Promise<void> {
  await dataSource.transaction(async (manager) => {
    const id = randomUUID();
    await manager.query(`UPDATE tree_partitions SET entry = $1`, [id]);
    const { head, ...at } = await requireUnchanged(manager, before);
    const { tree } = before.info;
    const { pages, queue, undo } = tablesOf(before.info);
    await manager.query(`DELETE FROM ${pages} WHERE tree_digest = key_digest($1)`, [tree]);
    for (const table of ['address_tree_elements', queue, undo]) {
      await manager.query(`DELETE FROM ${table} WHERE tree = $1`, [tree]);
    }
    for (const elements of partsOf(rebuilt.elements, ELEMENTS_PER_STATEMENT)) {
      await upsertElements(manager, tree, elements);
    }
    for (const part of partsOf(rebuilt.pages, PAGES_PER_STATEMENT)) {
      await upsertPages(manager, before.info, new Map(part));
    }
    for (const queued of partsOf(rebuilt.queue, QUEUED_PER_STATEMENT)) {
      await insertQueued(manager, tree, new Map(queued));
    }
    const seen = highestPositions(head.seen, rebuilt.head.seen);
    await writeHead(manager, { ...rebuilt.head, seen }, at.entry, { id, block: at.block });
    await new TreeRepublications(manager).request([tree], fromSlot);
  });
}

/** The stored head, and its entry. Since it was read, only positions of ignored operations may have changed. */
async function requireUnchanged(manager: EntityManager, before: TreeHead): Promise<StoredHead> {
  const { tree } = before.info;
  const [row] = await manager.query<((TreeRow & EntryRow) | undefined)[]>(
    `SELECT * FROM ${tablesOf(before.info).heads} WHERE tree = $1 FOR UPDATE`,
    [tree],
  );
  const head = row && toTreeHead(row);
  const isUnchanged =
    head?.changes.count === before.changes.count &&
    head.seq === before.seq &&
    head.nextIndex === before.nextIndex &&
    head.queueEnd === before.queueEnd &&
    head.inputQueueEnd === before.inputQueueEnd &&
    head.quarantineReason === before.quarantineReason;
  if (row && isUnchanged) return { head, entry: row.entry, block: toBlockAtSlot(row) };
  throw new TreeChangedError(`tree ${toBase58(tree)} has changed while it was rebuilt: run the command again`);
}

interface StoredHead {
  head: TreeHead;
  entry: EntryId;
  block: BlockAtSlot | null;
}

/** Parts of at most `size` items, in their order. */
function* partsOf<Item>(items: Iterable<Item>, size: number): Iterable<Item[]> {
  let part: Item[] = [];
  for (const item of items) {
    part.push(item);
    if (part.length < size) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}
