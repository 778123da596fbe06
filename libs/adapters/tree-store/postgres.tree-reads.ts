import { whileAvailable } from '@fresnel/adapters/store-schema';
import { type Hash, HASH_BYTES, type Pubkey, type Slot, toHash } from '@fresnel/domain/primitives';
import { type AddressTreeHead, type ElementKey, type IndexedElement, type PageId } from '@fresnel/domain/trees';
import { type EntityManager } from 'typeorm';
import { type AddressTreeRow, toHead, toSlotOrNull } from './address-tree.row';
import { type RecentBlock } from './tree-store';
import { decodeBlocks } from './undo.codec';

/** Rows of one query. The result stays far below the sizes at which Postgres, the driver or Redis have limits. */
const ELEMENTS_PER_CHUNK = 20_000;
const PAGES_PER_CHUNK = 2_000;

/** Concatenated rows, in the layouts of `encodeElement` and `encodePages` in the codec of the Redis store. */
const READ_ELEMENTS = `
  SELECT max(leaf_index) AS last,
    string_agg(value || int8send(leaf_index) || int8send(next_index) || next_value, ''::bytea) AS bytes
  FROM (SELECT * FROM address_tree_elements WHERE tree = $1 AND leaf_index > $2 ORDER BY leaf_index LIMIT $3) chunk`;

const READ_PAGES = `
  SELECT max(page) AS last, string_agg(int8send(page) || nodes, ''::bytea) AS bytes
  FROM (SELECT * FROM address_tree_pages WHERE tree = $1 AND page > $2 ORDER BY page LIMIT $3) chunk`;

/** Leaf index and value of each element. */
const READ_ADDRESSES = `
  SELECT max(leaf_index) AS last, string_agg(int8send(leaf_index) || value, ''::bytea) AS bytes
  FROM (SELECT * FROM address_tree_elements WHERE tree = $1 AND leaf_index > $2 ORDER BY leaf_index LIMIT $3) chunk`;

const ADDRESS_ROW_BYTES = 8 + HASH_BYTES;

interface ChunkRow {
  last: string | null;
  bytes: Buffer | null;
}

interface ElementRow {
  leaf_index: string;
  value: Buffer;
  next_index: string;
  next_value: Buffer;
}

/**
 * Reads journaled trees without decoding their bulk, to copy them to another store.
 *
 * Consecutive queries see one state only while the reader is the writer of the tree's partition.
 */
export class PostgresTreeReads {
  constructor(private readonly manager: EntityManager) {}

  async listHeads(): Promise<AddressTreeHead[]> {
    return (await this.query<AddressTreeRow>(`SELECT * FROM address_trees`, [])).map(toHead);
  }

  /** The slot up to which each partition of a topic is applied; null before its first slot. */
  async listSlots(topicName: string): Promise<Map<number, Slot | null>> {
    const rows = await this.query<{ partition: number; slot: string | null }>(
      `SELECT partition, slot FROM address_tree_partitions WHERE topic = $1 ORDER BY partition`,
      [topicName],
    );
    return new Map(rows.map(({ partition, slot }) => [partition, toSlotOrNull(slot)]));
  }

  /** The recent blocks of each partition of a topic. */
  async listBlocks(topicName: string): Promise<Map<number, RecentBlock[]>> {
    const rows = await this.query<{ partition: number; blocks: Buffer | null }>(
      `SELECT partition, blocks FROM address_tree_partitions WHERE topic = $1 ORDER BY partition`,
      [topicName],
    );
    return new Map(rows.map(({ partition, blocks }) => [partition, blocks ? decodeBlocks(blocks) : []]));
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
  pageChunks(tree: Pubkey): AsyncGenerator<Buffer, void> {
    return this.chunks(READ_PAGES, tree, PAGES_PER_CHUNK);
  }

  /** Queued addresses from a position on, in the order of their positions. */
  async readQueue(tree: Pubkey, from: bigint): Promise<Map<bigint, Hash>> {
    const rows = await this.query<{ queue_index: string; address: Buffer }>(
      `SELECT queue_index, address FROM address_tree_queue WHERE tree = $1 AND queue_index >= $2 ORDER BY queue_index`,
      [tree, from],
    );
    return new Map(rows.map((row) => [BigInt(row.queue_index), toHash(row.address)]));
  }

  /** The position of the first queued address; null if the queue is empty. */
  async findQueueStart(tree: Pubkey): Promise<bigint | null> {
    const [{ start }] = await this.query<{ start: string | null }>(
      `SELECT min(queue_index) AS start FROM address_tree_queue WHERE tree = $1`,
      [tree],
    );
    return start === null ? null : BigInt(start);
  }

  /** Encoded undo records by number, ascending. */
  async readUndo(tree: Pubkey): Promise<Map<number, Buffer>> {
    const rows = await this.query<{ number: string; record: Buffer }>(
      `SELECT number, record FROM address_tree_undo WHERE tree = $1 ORDER BY number`,
      [tree],
    );
    return new Map(rows.map(({ number, record }) => [Number(number), record]));
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

  async readPages(tree: Pubkey, ids: readonly PageId[]): Promise<Map<PageId, Buffer>> {
    const rows = await this.query<{ page: string; nodes: Buffer }>(
      `SELECT page, nodes FROM address_tree_pages WHERE tree = $1 AND page = ANY ($2::bigint[])`,
      [tree, ids],
    );
    return new Map(rows.map(({ page, nodes }) => [Number(page), nodes]));
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
