import {
  claimPosition,
  findPosition,
  movePosition,
  type PositionKey,
  whileAvailable,
} from '@fresnel/adapters/store-schema';
import { type ClaimedPosition, PROVER_GROUP, TREE_UPDATES } from '@fresnel/contracts/messages';
import { keyOf, type Slot, toHash } from '@fresnel/domain/primitives';
import { type DataSource, type EntityManager } from 'typeorm';
import { JOURNAL_TABLES } from './journal-tables';
import { StoredTree } from './in-memory.tree';
import { type JournalContents, type TreeJournal } from './in-memory.tree-store';
import { persistTree } from './persist-tree';
import { PostgresTreeReads } from './postgres.tree-reads';
import { readRecords } from './read-journal';
import { type NullifierRow, toHead, toQueuedNullifier, toSlotOrNull, type TreeRow } from './tree.row';
import { type RecentBlock, slotAfter, type TreeStoreCommit } from './tree-store';
import { decodeBlocks, decodeUndo, encodeBlocks } from './undo.codec';

/** Stores the slot of commits that do not come from a bus. */
const NO_BUS_PARTITION = -1;

const FIND_PARTITION = `SELECT slot, blocks FROM tree_partitions WHERE topic = $1 AND partition = $2`;

const UPSERT_PARTITION = `
  INSERT INTO tree_partitions AS p (topic, partition, slot, blocks) VALUES ($1, $2, $3, $4)
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

/** A row of `state_tree_queue`. Only entries of input queues have a leaf index apart from their position. */
type StateQueueRow = { tree: Buffer } & (NullifierRow | { position: string; hash: Buffer; leaf_index: null });

interface UndoRow {
  tree: Buffer;
  record: Buffer;
}

/** Stores trees in the tables `address_tree…` and `state_tree…`, with the position and the slot in the same transaction. */
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
    return { consumerGroup: PROVER_GROUP, topic: this.topicName, partition };
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
    const positions = await manager.query<{ partition: number; next_offset: string | null; epoch: string }[]>(
      `SELECT partition, next_offset, epoch FROM positions WHERE consumer_group = $1 AND topic = $2`,
      [PROVER_GROUP, this.topicName],
    );
    const partitions = await manager.query<(PartitionRow & { partition: number })[]>(
      `SELECT partition, slot, blocks FROM tree_partitions WHERE topic = $1 ORDER BY slot NULLS FIRST`,
      [this.topicName],
    );
    return {
      slot: toSlotOrNull(partitions.at(-1)?.slot ?? null),
      positions: new Map(
        positions.flatMap(({ partition, next_offset: offset }) =>
          offset === null ? [] : [[partition, BigInt(offset)] as const],
        ),
      ),
      epochs: new Map(positions.map(({ partition, epoch }) => [partition, BigInt(epoch)])),
      blocks: new Map(partitions.map(({ partition, blocks }) => [partition, blocks ? decodeBlocks(blocks) : []])),
      trees: await loadTrees(manager),
    };
  }
}

async function loadTrees(manager: EntityManager): Promise<StoredTree[]> {
  const trees = new Map<string, StoredTree>();
  for (const { heads } of JOURNAL_TABLES) {
    for (const row of await manager.query<TreeRow[]>(`SELECT * FROM ${heads}`)) {
      trees.set(keyOf(row.tree), new StoredTree(toHead(row)));
    }
  }
  await readRecords(manager, trees);
  for (const row of await manager.query<QueuedAddressRow[]>(`SELECT * FROM address_tree_queue ORDER BY queue_index`)) {
    trees.get(keyOf(row.tree))?.queue.put(BigInt(row.queue_index), toHash(row.address));
  }
  for (const row of await manager.query<StateQueueRow[]>(`SELECT * FROM state_tree_queue ORDER BY position`)) {
    const tree = trees.get(keyOf(row.tree));
    if (row.leaf_index === null) tree?.queue.put(BigInt(row.position), toHash(row.hash));
    else tree?.inputQueue.put(BigInt(row.position), toQueuedNullifier(row));
  }
  for (const { undo } of JOURNAL_TABLES) {
    for (const { tree, record } of await manager.query<UndoRow[]>(`SELECT * FROM ${undo} ORDER BY number`)) {
      trees.get(keyOf(tree))?.undo.push(decodeUndo(record));
    }
  }
  return [...trees.values()];
}
