import { fenceConsumers } from '@fresnel/adapters/store-schema';
import { PROVER_GROUP } from '@fresnel/contracts/messages';
import { FresnelError, type Slot, toBase58 } from '@fresnel/domain/primitives';
import { highestPositions, type IndexedElement, type PageId, type TreeHead } from '@fresnel/domain/trees';
import { type DataSource, type EntityManager } from 'typeorm';
import { type TreeRow, toHead } from './tree.row';
import { tablesOf } from './journal-tables';
import { insertQueued } from './persist-queues';
import { upsertElements, upsertHead, upsertPages } from './persist-tree';
import { type RebuiltTree } from './rebuild-tree';
import { TreeRepublications } from './tree-republications';

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
 * Replaces a tree in the journal by a rebuilt one, in one transaction. The transaction also fences all writers, which read
 * the journal again when they claim their partitions. Until it ends, no writer commits.
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
    await fenceConsumers(manager, PROVER_GROUP);
    const { seen } = await requireUnchanged(manager, before);
    const { tree } = before.info;
    const { pages, queue, undo } = tablesOf(before.info);
    await manager.query(`DELETE FROM ${pages} WHERE tree_digest = key_digest($1)`, [tree]);
    for (const table of ['address_tree_elements', queue, undo]) {
      await manager.query(`DELETE FROM ${table} WHERE tree = $1`, [tree]);
    }
    for (const elements of partsOf(elementsOf(rebuilt), ELEMENTS_PER_STATEMENT)) {
      await upsertElements(manager, tree, elements);
    }
    for (const part of partsOf(pagesOf(rebuilt), PAGES_PER_STATEMENT)) {
      await upsertPages(manager, before.info, new Map(part));
    }
    for (const queued of partsOf(rebuilt.queue, QUEUED_PER_STATEMENT)) {
      await insertQueued(manager, tree, new Map(queued));
    }
    await upsertHead(manager, { ...rebuilt.head, seen: highestPositions(seen, rebuilt.head.seen) });
    await new TreeRepublications(manager).request([tree], fromSlot);
  });
}

/** The stored head. Since it was read, only positions of ignored operations may have changed. */
async function requireUnchanged(manager: EntityManager, before: TreeHead): Promise<TreeHead> {
  const { tree } = before.info;
  const rows = await manager.query<TreeRow[]>(
    `SELECT * FROM ${tablesOf(before.info).heads} WHERE tree = $1 FOR UPDATE`,
    [tree],
  );
  const stored = rows.map(toHead).at(0);
  const isUnchanged =
    stored?.changes.count === before.changes.count &&
    stored.seq === before.seq &&
    stored.nextIndex === before.nextIndex &&
    stored.queueEnd === before.queueEnd &&
    stored.inputQueueEnd === before.inputQueueEnd &&
    stored.quarantineReason === before.quarantineReason;
  if (stored && isUnchanged) return stored;
  throw new TreeChangedError(`tree ${toBase58(tree)} has changed while it was rebuilt: run the command again`);
}

function* elementsOf({ elements }: RebuiltTree): Iterable<IndexedElement> {
  for (const index of elements.indexes()) {
    const element = elements.find(index);
    if (element) yield element;
  }
}

function* pagesOf({ pages }: RebuiltTree): Iterable<[PageId, Buffer]> {
  for (const id of pages.ids()) {
    const page = pages.find(id);
    if (page) yield [id, page];
  }
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
