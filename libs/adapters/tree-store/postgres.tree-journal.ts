import {
  advancePosition,
  findLogGeneration,
  findPosition,
  type PositionKey,
  toTreeHead,
  type TreeRow,
  whileAvailable,
} from '@fresnel/adapters/store-schema';
import { FencedError, partitionOfTree, PROVER_GROUP } from '@fresnel/contracts/messages';
import { blockKeyBytes } from '@fresnel/domain/chain';
import { type Pubkey, toPubkey } from '@fresnel/domain/primitives';
import { type DataSource, type EntityManager } from 'typeorm';
import { type JournalEntry } from './journal-entry';
import { JOURNAL_TABLES } from './journal-tables';
import { persistTree } from './persist-tree';
import { PostgresTreeReads } from './postgres.tree-reads';
import { type JournaledPartition, type JournaledTree, type TreeJournal, type TreeLog } from './tree-journal';
import { requireLog, requireLogForCommit } from './tree-log.statement';
import { type EntryRow, toBlockAtSlot } from './tree.row';
import { decodeBlocks, encodeBlocks } from './undo.codec';

const INSERT_PARTITION = `
  INSERT INTO tree_partitions (topic, partition, entry, slot, blockhash, blocks, branch, has_refused)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING RETURNING 1`;

/** Returns a row if it has changed something. */
const UPDATE_PARTITION = `
  WITH moved AS (
    UPDATE tree_partitions SET entry = $3, slot = $4, blockhash = $5, blocks = $6, branch = $7, has_refused = $8
    WHERE topic = $1 AND partition = $2 AND entry = $9 RETURNING 1)
  SELECT * FROM moved`;

interface PartitionRow extends EntryRow {
  blocks: Buffer;
  has_refused: boolean;
}

/** Stores trees in the tables `address_tree…` and `state_tree…`, with position and partition in the same transaction. */
export class PostgresTreeJournal implements TreeJournal {
  /** @param log that this process follows; stored positions are offsets of its topic */
  constructor(
    private readonly dataSource: DataSource,
    private log: TreeLog,
  ) {}

  /** Reads which generation the log has now. The caller has connected the data source. */
  async open(): Promise<void> {
    const { topic } = this.log;
    const generation = await whileAvailable(() => findLogGeneration(this.dataSource.manager, topic));
    this.log = { topic, generation };
  }

  persist(entry: JournalEntry): Promise<void> {
    return whileAvailable(() => this.dataSource.transaction((manager) => this.persistIn(manager, entry)));
  }

  readPartition(partition: number, partitionCount: number): Promise<JournaledPartition> {
    return this.inSnapshot((manager) => this.findPartition(manager, partition, partitionCount));
  }

  readTree<Result>(tree: Pubkey, read: (tree: JournaledTree | null) => Promise<Result>): Promise<Result> {
    return this.inSnapshot(async (manager) => read(await findTree(manager, tree)));
  }

  /** Reads a partition and all trees in one snapshot: everything that `read` reads. */
  readAll<Result>(
    partition: number,
    partitionCount: number,
    read: (partition: JournaledPartition, trees: readonly JournaledTree[]) => Promise<Result>,
  ): Promise<Result> {
    return this.inSnapshot(async (manager) => {
      const found = await this.findPartition(manager, partition, partitionCount);
      const rows = await Promise.all(
        JOURNAL_TABLES.map(({ heads }) => manager.query<(TreeRow & EntryRow)[]>(`SELECT * FROM ${heads}`)),
      );
      return read(
        found,
        rows.flat().map((row) => journaled(manager, row)),
      );
    });
  }

  private inSnapshot<Result>(read: (manager: EntityManager) => Promise<Result>): Promise<Result> {
    return whileAvailable(() =>
      this.dataSource.transaction('REPEATABLE READ', async (manager) => {
        await requireLog(manager, this.log);
        return read(manager);
      }),
    );
  }

  private async persistIn(manager: EntityManager, entry: JournalEntry): Promise<void> {
    await requireLogForCommit(manager, this.log);
    await this.movePartition(manager, entry);
    const { from, to, block } = entry;
    await advancePosition(manager, { ...this.positionKey(entry.partition), from, to }, block?.slot ?? null);
    for (const tree of entry.trees) await persistTree(manager, tree, entry);
  }

  /** The first statement that changes something: writers of one partition wait here for each other. */
  private async movePartition(manager: EntityManager, entry: JournalEntry): Promise<void> {
    const { id, on, partition, block, blocks, hasRefused } = entry;
    const branch = blocks.filter(({ state }) => state === 'admitted').map(blockKeyBytes);
    const state = [id, block?.slot, block?.blockhash, encodeBlocks(blocks), branch, hasRefused];
    const values = [this.log.topic, partition, ...state, ...(on === null ? [] : [on])];
    const moved = await manager.query<unknown[]>(on === null ? INSERT_PARTITION : UPDATE_PARTITION, values);
    if (moved.length === 0)
      throw new FencedError(`partition ${partition} has another newest entry than ${on ?? 'none'}`);
  }

  private async findPartition(
    manager: EntityManager,
    partition: number,
    partitionCount: number,
  ): Promise<JournaledPartition> {
    const [row] = await manager.query<(PartitionRow | undefined)[]>(
      `SELECT entry, slot, blockhash, blocks, has_refused FROM tree_partitions WHERE topic = $1 AND partition = $2`,
      [this.log.topic, partition],
    );
    const rows = await manager.query<{ tree: Buffer; entry: string }[]>(
      JOURNAL_TABLES.map(({ heads }) => `SELECT tree, entry FROM ${heads}`).join(' UNION ALL '),
    );
    return {
      entry: row?.entry ?? null,
      offset: await findPosition(manager, this.positionKey(partition)),
      block: row ? toBlockAtSlot(row) : null,
      blocks: row ? decodeBlocks(row.blocks) : [],
      hasRefused: row?.has_refused ?? false,
      trees: rows
        .map(({ tree, entry }) => ({ tree: toPubkey(tree), entry }))
        .filter(({ tree }) => partitionOfTree(tree, partitionCount) === partition),
    };
  }

  private positionKey(partition: number): PositionKey {
    return { consumerGroup: PROVER_GROUP, topic: this.log.topic, partition };
  }
}

async function findTree(manager: EntityManager, tree: Pubkey): Promise<JournaledTree | null> {
  for (const { heads } of JOURNAL_TABLES) {
    const [row] = await manager.query<((TreeRow & EntryRow) | undefined)[]>(`SELECT * FROM ${heads} WHERE tree = $1`, [
      tree,
    ]);
    if (row) return journaled(manager, row);
  }
  return null;
}

function journaled(manager: EntityManager, row: TreeRow & EntryRow): JournaledTree {
  return { head: toTreeHead(row), entry: row.entry, block: toBlockAtSlot(row), reads: new PostgresTreeReads(manager) };
}
