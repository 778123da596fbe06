import {
  claimPosition,
  findPosition,
  movePosition,
  type PositionKey,
  whileAvailable,
} from '@fresnel/adapters/store-schema';
import { type ClaimedPosition, TREE_UPDATES } from '@fresnel/contracts/messages';
import { keyOf, type Slot, toHash } from '@fresnel/domain/primitives';
import { PAGE_BYTES } from '@fresnel/domain/trees';
import { type DataSource, type EntityManager } from 'typeorm';
import { type AddressTreeRow, toHead, toRow, toSlotOrNull } from './address-tree.row';
import { StoredTree } from './in-memory.tree';
import { type JournalContents, type TreeJournal } from './in-memory.tree-store';
import { PostgresTreeReads } from './postgres.tree-reads';
import { readRecords } from './read-journal';
import { type RecentBlock, slotAfter, type TreeCommit, type TreeStoreCommit, undoNumbers } from './tree-store';
import { decodeBlocks, decodeUndo, encodeBlocks, encodeUndo } from './undo.codec';

const CONSUMER_GROUP = 'prover';
/** Stores the slot of commits that do not come from a bus. */
const NO_BUS_PARTITION = -1;

const FIND_PARTITION = `SELECT slot, blocks FROM address_tree_partitions WHERE topic = $1 AND partition = $2`;

const UPSERT_PARTITION = `
  INSERT INTO address_tree_partitions AS p (topic, partition, slot, blocks) VALUES ($1, $2, $3, $4)
  ON CONFLICT (topic, partition) DO UPDATE SET slot = excluded.slot, blocks = coalesce(excluded.blocks, p.blocks)`;

interface PartitionRow {
  slot: string | null;
  blocks: Buffer | null;
}

/** What the journal stores of a partition, apart from its position. */
export interface JournaledPartition {
  /** The slot up to which the trees of the partition are applied. */
  slot: Slot | null;
  /** Recent blocks as of the last commit. */
  blocks: RecentBlock[];
}

interface QueuedAddressRow {
  tree: Buffer;
  queue_index: string;
  address: Buffer;
}

interface UndoRow {
  tree: Buffer;
  record: Buffer;
}

/** Stores address trees in the tables `address_tree…`, with the position and the slot in the same transaction. */
export class PostgresTreeJournal implements TreeJournal {
  /** @param topicName name of the topic in the cluster; stored positions are offsets of this topic */
  constructor(
    private readonly dataSource: DataSource,
    private readonly topicName = TREE_UPDATES.name,
  ) {}

  /** Loads everything in one snapshot: another writer may still be committing. */
  load(): Promise<JournalContents> {
    return this.dataSource.transaction('REPEATABLE READ', (manager) => this.loadFrom(manager));
  }

  /** Once it resolves, previous writers can no longer change the partition or its trees. */
  claimPosition(partition: number): Promise<ClaimedPosition> {
    return whileAvailable(() => claimPosition(this.dataSource.manager, this.positionKey(partition)));
  }

  async persist(commit: TreeStoreCommit): Promise<void> {
    await whileAvailable(() => this.dataSource.transaction((manager) => this.persistIn(manager, commit)));
  }

  readPartition(partition: number): Promise<JournaledPartition> {
    return whileAvailable(() => this.findPartition(this.dataSource.manager, partition));
  }

  /** The stored trees, to be read by the writer that has claimed their partition. */
  get trees(): PostgresTreeReads {
    return new PostgresTreeReads(this.dataSource.manager);
  }

  private positionKey(partition: number): PositionKey {
    return { consumerGroup: CONSUMER_GROUP, topic: this.topicName, partition };
  }

  private async findPartition(manager: EntityManager, partition: number): Promise<JournaledPartition> {
    const [row] = await manager.query<(PartitionRow | undefined)[]>(FIND_PARTITION, [this.topicName, partition]);
    return { slot: toSlotOrNull(row?.slot ?? null), blocks: row?.blocks ? decodeBlocks(row.blocks) : [] };
  }

  private async persistIn(manager: EntityManager, commit: TreeStoreCommit): Promise<void> {
    const { trees, position } = commit;
    if (position) {
      const key = this.positionKey(position.partition);
      const before = await findPosition(manager, key);
      await movePosition(manager, { ...key, ...position });
      // A repetition may have been computed from trees that already contain the batch.
      if (before === position.to) return;
    }
    for (const tree of trees) await persistTree(manager, tree);
    await this.persistPartition(manager, commit);
  }

  private async persistPartition(manager: EntityManager, commit: TreeStoreCommit): Promise<void> {
    const partition = commit.position?.partition ?? NO_BUS_PARTITION;
    const stored = await this.findPartition(manager, partition);
    const slot = slotAfter(stored.slot, commit);
    const { blocks } = commit;
    if (slot === stored.slot && !blocks) return;
    await manager.query(UPSERT_PARTITION, [this.topicName, partition, slot, blocks && encodeBlocks(blocks.recent)]);
  }

  private async loadFrom(manager: EntityManager): Promise<JournalContents> {
    const positions = await manager.query<{ partition: number; next_offset: string }[]>(
      `SELECT partition, next_offset FROM positions
       WHERE consumer_group = $1 AND topic = $2 AND next_offset IS NOT NULL`,
      [CONSUMER_GROUP, this.topicName],
    );
    const partitions = await manager.query<(PartitionRow & { partition: number })[]>(
      `SELECT partition, slot, blocks FROM address_tree_partitions WHERE topic = $1 ORDER BY slot NULLS FIRST`,
      [this.topicName],
    );
    return {
      slot: toSlotOrNull(partitions.at(-1)?.slot ?? null),
      positions: new Map(positions.map(({ partition, next_offset: offset }) => [partition, BigInt(offset)])),
      blocks: new Map(partitions.map(({ partition, blocks }) => [partition, blocks ? decodeBlocks(blocks) : []])),
      trees: await loadTrees(manager),
    };
  }
}

async function loadTrees(manager: EntityManager): Promise<StoredTree[]> {
  const trees = new Map<string, StoredTree>();
  for (const row of await manager.query<AddressTreeRow[]>(`SELECT * FROM address_trees`)) {
    trees.set(keyOf(row.tree), new StoredTree(toHead(row)));
  }
  await readRecords(manager, trees);
  for (const row of await manager.query<QueuedAddressRow[]>(`SELECT * FROM address_tree_queue ORDER BY queue_index`)) {
    trees.get(keyOf(row.tree))?.queue.put(BigInt(row.queue_index), toHash(row.address));
  }
  for (const { tree, record } of await manager.query<UndoRow[]>(`SELECT * FROM address_tree_undo ORDER BY number`)) {
    trees.get(keyOf(tree))?.undo.push(decodeUndo(record));
  }
  return [...trees.values()];
}

async function upsertHead(manager: EntityManager, { head }: TreeCommit): Promise<void> {
  const entries = Object.entries(toRow(head));
  const columns = entries.map(([column]) => column);
  await manager.query(
    `INSERT INTO address_trees (${columns.join(', ')}) VALUES (${columns.map((_, at) => `$${at + 1}`).join(', ')})
     ON CONFLICT (tree) DO UPDATE SET ${columns.map((column) => `${column} = excluded.${column}`).join(', ')}`,
    entries.map(([, value]) => value as unknown),
  );
}

async function persistTree(manager: EntityManager, commit: TreeCommit): Promise<void> {
  const { tree } = commit.head.info;
  await upsertHead(manager, commit);
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

/** All pages are one parameter: as an array they become text, which takes ten times as long on the event loop. */
async function upsertPages(manager: EntityManager, { head, pages }: TreeCommit): Promise<void> {
  if (pages.size === 0) return;
  await manager.query(
    `INSERT INTO address_tree_pages (tree, page, nodes)
     SELECT $1, page, substring($3::bytea FROM 1 + (at::int - 1) * ${PAGE_BYTES} FOR ${PAGE_BYTES})
     FROM unnest($2::bigint[]) WITH ORDINALITY AS pages (page, at)
     ON CONFLICT (tree, page) DO UPDATE SET nodes = excluded.nodes`,
    [head.info.tree, [...pages.keys()], Buffer.concat([...pages.values()])],
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
  const kept = commit.undo.filter(({ before }) => before.changes.count >= oldestKept);
  if (kept.length === 0) return;
  await manager.query(
    `INSERT INTO address_tree_undo (tree, number, record) SELECT $1, * FROM unnest($2::bigint[], $3::bytea[])`,
    [tree, kept.map(({ before }) => before.changes.count), kept.map(encodeUndo)],
  );
}
