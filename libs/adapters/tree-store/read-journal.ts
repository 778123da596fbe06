import { keyOf, toHash } from '@fresnel/domain/primitives';
import { PAGE_BYTES } from '@fresnel/domain/trees';
import { type EntityManager } from 'typeorm';
import { JOURNAL_TABLES } from './journal-tables';
import { StoredTree } from './in-memory.tree';
import { ELEMENT_BYTES } from './stored-elements';
import { type EntryRow, type NullifierRow, toHead, toQueuedNullifier, type TreeRow } from './tree.row';
import { decodeUndo } from './undo.codec';

/** The blocks of a table that are read at once: 1 MB. */
const BLOCKS_PER_PART = 128;

/** The number of an element or page, before its record. */
const NUMBER_BYTES = 8;

/**
 * Rows of a part of a table, packed into one value for each tree: a result of millions of rows would need more memory
 * than the trees themselves.
 */
interface PartRow {
  tree: Buffer;
  rows: Buffer;
}

/** A table of the journal whose rows are records of a tree. */
interface RecordRows {
  table: string;
  /** SQL that adds the key of the tree to each row, if the table does not have it. */
  join: string;
  /** SQL of the number and the record of a row. */
  packed: string;
  recordBytes: number;
  /** Adds a record that starts at an offset. */
  add: (tree: StoredTree, number: number, rows: Buffer, at: number) => void;
}

const RECORD_ROWS: RecordRows[] = [
  {
    table: 'address_tree_elements',
    join: '',
    packed: 'int8send(leaf_index) || value || next_value || substring(int8send(next_index) FROM 4)',
    recordBytes: ELEMENT_BYTES,
    add: ({ elements }, number, rows, at) => {
      elements.putRecord(number, rows, at);
    },
  },
  ...JOURNAL_TABLES.map(({ heads, pages: table }): RecordRows => ({
    table,
    join: `JOIN ${heads} ON tree_digest = key_digest(tree)`,
    packed: 'int8send(page) || nodes',
    recordBytes: PAGE_BYTES,
    add: ({ pages }, number, rows, at) => {
      pages.putRecord(number, rows, at);
    },
  })),
];

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

/** Reads all trees. @param manager in a transaction with one snapshot */
export async function loadTrees(manager: EntityManager): Promise<StoredTree[]> {
  const trees = new Map<string, StoredTree>();
  for (const { heads } of JOURNAL_TABLES) {
    for (const row of await manager.query<(TreeRow & EntryRow)[]>(`SELECT * FROM ${heads}`)) {
      trees.set(keyOf(row.tree), new StoredTree(toHead(row), row.entry));
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

/**
 * Reads the elements and pages of trees. Tables are read from their first to their last block, because the order of
 * their rows does not matter.
 *
 * @param trees by `keyOf`
 */
async function readRecords(manager: EntityManager, trees: ReadonlyMap<string, StoredTree>): Promise<void> {
  for (const { recordBytes, add, ...source } of RECORD_ROWS) {
    const rowBytes = NUMBER_BYTES + recordBytes;
    for await (const { tree, rows } of readParts(manager, source)) {
      const stored = trees.get(keyOf(tree));
      if (!stored) continue;
      for (let at = 0; at < rows.length; at += rowBytes) add(stored, numberAt(rows, at), rows, at + NUMBER_BYTES);
    }
  }
}

/** While a part is used, the next one is read. */
async function* readParts(
  manager: EntityManager,
  { table, join, packed }: Pick<RecordRows, 'table' | 'join' | 'packed'>,
): AsyncIterable<PartRow> {
  const query = `
    SELECT tree, string_agg(${packed}, ''::bytea) AS rows FROM ${table} records ${join}
    WHERE records.ctid >= $1::tid AND records.ctid < $2::tid GROUP BY tree`;
  const read = (block: number) => manager.query<PartRow[]>(query, [`(${block},0)`, `(${block + BLOCKS_PER_PART},0)`]);
  const blocks = await countBlocks(manager, table);
  let next = read(0);
  for (let block = BLOCKS_PER_PART; ; block += BLOCKS_PER_PART) {
    const part = await next;
    if (block < blocks) next = read(block);
    // This part is not used if the caller stops.
    next.catch(() => undefined);
    yield* part;
    if (block >= blocks) return;
  }
}

/** The number of blocks with rows of the snapshot. */
async function countBlocks(manager: EntityManager, table: string): Promise<number> {
  const [{ blocks }] = await manager.query<{ blocks: string }[]>(
    `SELECT pg_relation_size($1) / current_setting('block_size')::bigint AS blocks`,
    [table],
  );
  return Number(blocks);
}

/** Reads a number of 64 bits, big endian, below 2^53. */
function numberAt(rows: Buffer, at: number): number {
  return rows.readUInt32BE(at) * 2 ** 32 + rows.readUInt32BE(at + 4);
}
