import { toSlotOrNull, toTreeHead, type TreeRow, whileAvailable } from '@fresnel/adapters/store-schema';
import { type Hash, HASH_BYTES, type Pubkey, type Slot, toHash } from '@fresnel/domain/primitives';
import {
  type ElementKey,
  type IndexedElement,
  isAddressTree,
  type PageId,
  type QueuedNullifier,
  type TreeHead,
  type TreeInfo,
} from '@fresnel/domain/trees';
import { type EntityManager } from 'typeorm';
import { JOURNAL_TABLES, STATE_QUEUES, tablesOf } from './journal-tables';
import { type NullifierRow, toQueuedNullifier } from './tree.row';
import { type EntryId, type RecentBlock } from './tree-store';
import { decodeBlocks } from './undo.codec';

/** Rows of one query. The result stays far below the sizes at which Postgres, the driver or Redis have limits. */
const ELEMENTS_PER_CHUNK = 20_000;
const PAGES_PER_CHUNK = 2_000;

/** Concatenated rows, in the layouts of `encodeElement` and `encodePages`. */
const READ_ELEMENTS = `
  SELECT max(leaf_index) AS last,
    string_agg(value || int8send(leaf_index) || int8send(next_index) || next_value, ''::bytea) AS bytes
  FROM (SELECT * FROM address_tree_elements WHERE tree = $1 AND leaf_index > $2 ORDER BY leaf_index LIMIT $3) chunk`;

const readPagesOf = (table: string) => `
  SELECT max(page) AS last, string_agg(int8send(page) || nodes, ''::bytea) AS bytes
  FROM (SELECT * FROM ${table} WHERE tree_digest = key_digest($1) AND page > $2 ORDER BY page LIMIT $3) chunk`;

/** Leaf index and value of each element. */
const READ_ADDRESSES = `
  SELECT max(leaf_index) AS last, string_agg(int8send(leaf_index) || value, ''::bytea) AS bytes
  FROM (SELECT * FROM address_tree_elements WHERE tree = $1 AND leaf_index > $2 ORDER BY leaf_index LIMIT $3) chunk`;

const ADDRESS_ROW_BYTES = 8 + HASH_BYTES;

interface ChunkRow {
  last: string | null;
  bytes: Buffer | null;
}

interface QueueRow {
  position: string;
  hash: Buffer;
}

interface ElementRow {
  leaf_index: string;
  value: Buffer;
  next_index: string;
  next_value: Buffer;
}

/** How far a partition is applied. */
export interface AppliedPartition {
  /** Null before the first slot. */
  slot: Slot | null;
  blocks: RecentBlock[];
}

/** An undo record, encoded. */
export interface JournaledUndo {
  number: number;
  record: Buffer;
  /** The entry that the tree was at after this change; null: another change of the same entry follows. */
  entry: EntryId | null;
}

/**
 * Reads journaled trees without decoding their bulk, to copy them to another store.
 *
 * Consecutive queries see one state only in a transaction with one snapshot.
 */
export class PostgresTreeReads {
  constructor(private readonly manager: EntityManager) {}

  async listHeads(): Promise<TreeHead[]> {
    const rows = await Promise.all(
      JOURNAL_TABLES.map(({ heads }) => this.query<TreeRow>(`SELECT * FROM ${heads}`, [])),
    );
    return rows.flat().map(toTreeHead);
  }

  /** The partitions of the log that the trees belong to, by number. */
  async listPartitions(): Promise<Map<number, AppliedPartition>> {
    const rows = await this.query<{ partition: number; slot: string | null; blocks: Buffer }>(
      `SELECT partition, slot, blocks FROM tree_partitions JOIN tree_log USING (topic) ORDER BY partition`,
      [],
    );
    return new Map(
      rows.map(({ partition, slot, blocks }) => [
        partition,
        { slot: toSlotOrNull(slot), blocks: decodeBlocks(blocks) },
      ]),
    );
  }

  /** All elements of a tree, in encoded chunks. */
  elementChunks(tree: Pubkey): AsyncGenerator<Buffer, void> {
    return this.chunks(READ_ELEMENTS, tree, ELEMENTS_PER_CHUNK);
  }

  /** The values of a tree with their leaf indexes, in the order of the leaf indexes. */
  async *addressChunks(tree: Pubkey): AsyncGenerator<ElementKey[], void> {
    for await (const chunk of this.chunks(READ_ADDRESSES, tree, ELEMENTS_PER_CHUNK)) {
      yield Array.from({ length: chunk.length / ADDRESS_ROW_BYTES }, (_, row) => {
        const at = row * ADDRESS_ROW_BYTES;
        const value = toHash(chunk.subarray(at + 8, at + ADDRESS_ROW_BYTES));
        return { index: Number(chunk.readBigUInt64BE(at)), value };
      });
    }
  }

  /** All pages of a tree, in encoded chunks. */
  pageChunks(info: TreeInfo): AsyncGenerator<Buffer, void> {
    return this.chunks(readPagesOf(tablesOf(info).pages), info.tree, PAGES_PER_CHUNK);
  }

  /** Queued addresses or leaves from a position on, in the order of their positions. */
  async readQueue(info: TreeInfo, from: bigint): Promise<Map<bigint, Hash>> {
    const rows = isAddressTree(info)
      ? await this.query<QueueRow>(
          `SELECT queue_index AS position, address AS hash FROM address_tree_queue
           WHERE tree = $1 AND queue_index >= $2 ORDER BY queue_index`,
          [info.tree, from],
        )
      : await this.readStateQueue<QueueRow>(info, STATE_QUEUES.output, from);
    return new Map(rows.map(({ position, hash }) => [BigInt(position), toHash(hash)]));
  }

  /** StateV2: like `readQueue`, of the input queue. */
  async readNullifiers(info: TreeInfo, from: bigint): Promise<Map<bigint, QueuedNullifier>> {
    if (info.type !== 'stateV2') return new Map();
    const rows = await this.readStateQueue<NullifierRow>(info, STATE_QUEUES.input, from);
    return new Map(rows.map((row) => [BigInt(row.position), toQueuedNullifier(row)]));
  }

  /** The undo records by number, ascending. */
  async readUndo(info: TreeInfo): Promise<JournaledUndo[]> {
    const rows = await this.query<{ number: string; record: Buffer; entry: EntryId | null }>(
      `SELECT number, record, entry FROM ${tablesOf(info).undo} WHERE tree = $1 ORDER BY number`,
      [info.tree],
    );
    return rows.map(({ number, ...rest }) => ({ number: Number(number), ...rest }));
  }

  async readElements(tree: Pubkey, indexes: readonly number[]): Promise<IndexedElement[]> {
    const rows = await this.query<ElementRow>(
      `SELECT leaf_index, value, next_index, next_value FROM address_tree_elements
       WHERE tree = $1 AND leaf_index = ANY ($2::bigint[])`,
      [tree, indexes],
    );
    return rows.map(({ leaf_index: index, value, next_index: nextIndex, next_value: nextValue }) => ({
      index: Number(index),
      value: toHash(value),
      nextIndex: Number(nextIndex),
      nextValue: toHash(nextValue),
    }));
  }

  async readPages(info: TreeInfo, ids: readonly PageId[]): Promise<Map<PageId, Buffer>> {
    const rows = await this.query<{ page: string; nodes: Buffer }>(
      `SELECT page, nodes FROM ${tablesOf(info).pages} WHERE tree_digest = key_digest($1) AND page = ANY ($2::bigint[])`,
      [info.tree, ids],
    );
    return new Map(rows.map(({ page, nodes }) => [Number(page), nodes]));
  }

  private readStateQueue<Row extends QueueRow>({ tree }: TreeInfo, queueType: number, from: bigint): Promise<Row[]> {
    return this.query<Row>(
      `SELECT position, hash, leaf_index, tx_hash, nullifier FROM state_tree_queue
       WHERE tree = $1 AND queue_type = $2 AND position >= $3 ORDER BY position`,
      [tree, queueType, from],
    );
  }

  private async *chunks(sql: string, tree: Pubkey, limit: number): AsyncGenerator<Buffer, void> {
    let last = '-1';
    for (;;) {
      const [row] = await this.query<ChunkRow>(sql, [tree, last, limit]);
      if (row.last === null || row.bytes === null) return;
      yield row.bytes;
      last = row.last;
    }
  }

  private query<Row>(sql: string, parameters: unknown[]): Promise<Row[]> {
    return whileAvailable(() => this.manager.query<Row[]>(sql, parameters));
  }
}
