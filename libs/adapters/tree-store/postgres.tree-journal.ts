import {
  AddressTreeBlocksEntity,
  AddressTreeElementEntity,
  AddressTreeEntity,
  AddressTreePageEntity,
  type AddressTreeRow,
  AddressTreeStateEntity,
  AddressTreeUndoEntity,
  movePosition,
  PositionEntity,
  QueuedAddressEntity,
  claimPosition,
  whileAvailable,
} from '@fresnel/adapters/store-schema';
import { type TakenPosition, TREE_UPDATES } from '@fresnel/contracts/messages';
import { keyOf, type Slot, toHash, toPubkey, toSlot } from '@fresnel/domain/primitives';
import { type AddressTreeHead, isAddressTree, requireTreeType, TREE_TYPES } from '@fresnel/domain/trees';
import { type DataSource, type EntityManager } from 'typeorm';
import { type JournalContents, type StoredTree, type TreeJournal } from './in-memory.tree-store';
import { slotAfter, type TreeCommit, type TreeStoreCommit, undoNumbers } from './tree-store';
import { decodeBlocks, decodeUndo, encodeBlocks, encodeUndo } from './undo.codec';

/** Under which the position of the trees is kept. */
const GROUP = { consumerGroup: 'prover', topic: TREE_UPDATES.name };

/** Keeps address trees in the tables `address_tree…`, position and slot in the same transaction. */
export class PostgresTreeJournal implements TreeJournal {
  constructor(private readonly dataSource: DataSource) {}

  /** All of it as of one moment: another writer may still be at work. */
  load(): Promise<JournalContents> {
    return this.dataSource.transaction('REPEATABLE READ', loadFrom);
  }

  claimPosition(partition: number): Promise<TakenPosition> {
    return whileAvailable(() => claimPosition(this.dataSource.manager, { ...GROUP, partition }));
  }

  async persist(commit: TreeStoreCommit): Promise<void> {
    await whileAvailable(() => this.persistInOneTransaction(commit));
  }

  private async persistInOneTransaction(commit: TreeStoreCommit): Promise<void> {
    const { trees, position, blocks } = commit;
    await this.dataSource.transaction(async (manager) => {
      if (position) {
        await movePosition(manager, { ...GROUP, ...position });
        const row = blocks && { partition: position.partition, blocks: encodeBlocks(blocks.recent) };
        if (row) await manager.upsert(AddressTreeBlocksEntity, row, ['partition']);
      }
      for (const tree of trees) await persistTree(manager, tree);
      await moveSlot(manager, commit);
    });
  }
}

async function moveSlot(manager: EntityManager, commit: TreeStoreCommit): Promise<void> {
  const [state] = await manager.query<{ slot: string | null }[]>(`SELECT slot FROM address_tree_state FOR UPDATE`);
  const held = toSlotOrNull(state.slot);
  const slot = slotAfter(held, commit);
  if (slot !== held) await manager.query(`UPDATE address_tree_state SET slot = $1`, [slot]);
}

async function loadFrom(manager: EntityManager): Promise<JournalContents> {
  const trees = new Map<string, StoredTree>();
  for (const row of await manager.find(AddressTreeEntity)) {
    trees.set(keyOf(row.tree), { head: toHead(row), elements: [], pages: new Map(), queue: new Map(), undo: [] });
  }
  for (const { tree, leafIndex, value, nextIndex, nextValue } of await manager.find(AddressTreeElementEntity)) {
    trees.get(keyOf(tree))?.elements.push({
      index: Number(leafIndex),
      value: toHash(value),
      nextIndex: Number(nextIndex),
      nextValue: toHash(nextValue),
    });
  }
  for (const { tree, page, nodes } of await manager.find(AddressTreePageEntity)) {
    trees.get(keyOf(tree))?.pages.set(Number(page), nodes);
  }
  for (const { tree, queueIndex, address } of await manager.find(QueuedAddressEntity)) {
    trees.get(keyOf(tree))?.queue.set(BigInt(queueIndex), toHash(address));
  }
  for (const { tree, record } of await manager.find(AddressTreeUndoEntity, { order: { number: 'ASC' } })) {
    trees.get(keyOf(tree))?.undo.push(decodeUndo(record));
  }
  const state = await manager.findOneByOrFail(AddressTreeStateEntity, { id: 1 });
  const positions = await manager.findBy(PositionEntity, GROUP);
  return {
    slot: toSlotOrNull(state.slot),
    positions: new Map(
      positions.flatMap(({ partition, nextOffset }) => (nextOffset === null ? [] : [[partition, BigInt(nextOffset)]])),
    ),
    blocks: new Map(
      (await manager.find(AddressTreeBlocksEntity)).map(({ partition, blocks }) => [partition, decodeBlocks(blocks)]),
    ),
    trees: [...trees.values()],
  };
}

async function persistTree(manager: EntityManager, commit: TreeCommit): Promise<void> {
  const { tree } = commit.head.info;
  await manager.upsert(AddressTreeEntity, toRow(commit.head), ['tree']);
  await deleteElements(manager, commit);
  await upsertElements(manager, commit);
  await upsertPages(manager, commit);
  if (commit.queueTruncatedFrom !== null) {
    await manager.query(`DELETE FROM address_tree_queue WHERE tree = $1 AND queue_index >= $2`, [
      tree,
      commit.queueTruncatedFrom,
    ]);
  }
  await insertQueued(manager, commit);
  await manager.query(`DELETE FROM address_tree_queue WHERE tree = $1 AND queue_index < $2`, [tree, commit.queueStart]);
  await replaceUndo(manager, commit);
}

async function deleteElements(manager: EntityManager, { head, removed }: TreeCommit): Promise<void> {
  if (removed.length === 0) return;
  await manager.query(`DELETE FROM address_tree_elements WHERE tree = $1 AND leaf_index = ANY ($2::bigint[])`, [
    head.info.tree,
    removed.map(({ index }) => index),
  ]);
}

async function upsertElements(manager: EntityManager, { head, elements }: TreeCommit): Promise<void> {
  if (elements.length === 0) return;
  await manager.query(
    `INSERT INTO address_tree_elements (tree, leaf_index, value, next_index, next_value)
     SELECT $1, * FROM unnest($2::bigint[], $3::bytea[], $4::bigint[], $5::bytea[])
     ON CONFLICT (tree, leaf_index) DO UPDATE SET
       value = excluded.value, next_index = excluded.next_index, next_value = excluded.next_value`,
    [
      head.info.tree,
      elements.map(({ index }) => index),
      elements.map(({ value }) => value),
      elements.map(({ nextIndex }) => nextIndex),
      elements.map(({ nextValue }) => nextValue),
    ],
  );
}

async function upsertPages(manager: EntityManager, { head, pages }: TreeCommit): Promise<void> {
  if (pages.size === 0) return;
  await manager.query(
    `INSERT INTO address_tree_pages (tree, page, nodes) SELECT $1, * FROM unnest($2::bigint[], $3::bytea[])
     ON CONFLICT (tree, page) DO UPDATE SET nodes = excluded.nodes`,
    [head.info.tree, [...pages.keys()], [...pages.values()]],
  );
}

async function insertQueued(manager: EntityManager, { head, queued }: TreeCommit): Promise<void> {
  if (queued.size === 0) return;
  await manager.query(
    `INSERT INTO address_tree_queue (tree, queue_index, address) SELECT $1, * FROM unnest($2::numeric[], $3::bytea[])
     ON CONFLICT (tree, queue_index) DO NOTHING`,
    [head.info.tree, [...queued.keys()], [...queued.values()]],
  );
}

async function replaceUndo(manager: EntityManager, commit: TreeCommit): Promise<void> {
  const { tree } = commit.head.info;
  const { first, oldestKept } = undoNumbers(commit);
  await manager.query(`DELETE FROM address_tree_undo WHERE tree = $1 AND (number >= $2 OR number < $3)`, [
    tree,
    first,
    oldestKept,
  ]);
  const kept = commit.undo.filter(({ before }) => before.changed.times >= oldestKept);
  if (kept.length === 0) return;
  await manager.query(
    `INSERT INTO address_tree_undo (tree, number, record) SELECT $1, * FROM unnest($2::bigint[], $3::bytea[])`,
    [tree, kept.map(({ before }) => before.changed.times), kept.map(encodeUndo)],
  );
}

function toSlotOrNull(text: string | null): Slot | null {
  return text === null ? null : toSlot(Number(text));
}

function toRow(head: AddressTreeHead): AddressTreeRow {
  const { info, seq, nextIndex, root, queueEnd, seen, fault, changed, doubted } = head;
  const { observed } = info;
  return {
    tree: info.tree,
    queue: info.queue,
    treeType: TREE_TYPES[info.type],
    height: info.height,
    rootHistoryCapacity: String(info.rootHistoryCapacity),
    owner: info.owner,
    observedSlot: String(observed.slot),
    observedSeq: String(observed.seq),
    observedNextIndex: String(observed.nextIndex),
    observedQueueEnd: String(observed.queueEnd),
    observedRoot: observed.root,
    seq: String(seq),
    nextIndex: String(nextIndex),
    root,
    queueEnd: String(queueEnd),
    seenSeq: String(seen.seq),
    seenQueueEnd: String(seen.queueEnd),
    fault,
    changedTimes: String(changed.times),
    changedSlot: String(changed.slot),
    doubtedFrom: doubted && String(doubted.from),
    doubtedTo: doubted && String(doubted.to),
  };
}

function toHead(row: AddressTreeRow): AddressTreeHead {
  const info = {
    tree: toPubkey(row.tree),
    queue: toPubkey(row.queue),
    type: requireTreeType(row.treeType),
    height: row.height,
    rootHistoryCapacity: Number(row.rootHistoryCapacity),
    owner: row.owner && toPubkey(row.owner),
    observed: {
      slot: toSlot(Number(row.observedSlot)),
      seq: BigInt(row.observedSeq),
      nextIndex: BigInt(row.observedNextIndex),
      queueEnd: BigInt(row.observedQueueEnd),
      root: row.observedRoot && toHash(row.observedRoot),
    },
  };
  const [doubtedFrom, doubtedTo] = [row.doubtedFrom, row.doubtedTo].map(toSlotOrNull);
  if (!isAddressTree(info)) throw new Error(`address_trees holds a tree of type ${row.treeType}`);
  return {
    info,
    seq: BigInt(row.seq),
    nextIndex: Number(row.nextIndex),
    root: toHash(row.root),
    queueEnd: BigInt(row.queueEnd),
    seen: { seq: BigInt(row.seenSeq), queueEnd: BigInt(row.seenQueueEnd) },
    fault: row.fault,
    changed: { times: Number(row.changedTimes), slot: toSlot(Number(row.changedSlot)) },
    doubted: doubtedFrom !== null && doubtedTo !== null ? { from: doubtedFrom, to: doubtedTo } : null,
  };
}
