import { type Hash, type Pubkey, type Signature, toHash, toSignature } from '@fresnel/domain/primitives';
import {
  type AccountRecord,
  RECORD,
  RECORD_AS_CREATED,
  RECORD_JOINS,
  recordJoinsAsCreated,
  toAccountRecord,
} from './account-record';
import { PackedRows } from './packed-rows';
import { type Reader, type Statement } from './reader';
import { toIndexId } from './revisions.query';

/*
 * Pages of transactions on the indexed branch, in the order of slots and of indexes in the block. A page also has the revision of its
 * snapshot: if that is another one than the caller knows, what the caller has read before may have changed.
 *
 * A place in this order is a number: slot · 65,536 + index in the block. Ids of transactions sort otherwise within a slot.
 */

const PLACES_PER_SLOT = 65_536;

/** The place of a transaction; without an index, that of the first transaction of the slot. */
export function placeOf(slot: number, index = 0): number {
  return slot * PLACES_PER_SLOT + index;
}

/** The newest slot that ends at or before a place. */
export function lastSlotBefore(place: number): number {
  return Math.floor(place / PLACES_PER_SLOT) - 1;
}

/** A transaction of the indexed branch with its accounts in event order. */
export interface BranchTransaction {
  place: number;
  slot: number;
  index: number;
  signature: Signature;
  /** Unix seconds. */
  blockTime: number;
  /** Null if the block is deleted by now. */
  blockhash: Hash | null;
  consumed: AccountRecord[];
  /** In the trees in which it created them, also if their leaves have migrated since. */
  created: AccountRecord[];
}

export interface BranchPage {
  /** 16 bytes: the index is another one after it was built anew. */
  indexId: Buffer;
  revision: number;
  /** Null before the first slot is indexed. */
  indexedSlot: number | null;
  blockhash: Hash | null;
  transactions: BranchTransaction[];
  /** Where the next page starts. */
  next: number;
  /** Whether nothing more is indexed. */
  isLast: boolean;
}

/** Owners whose transactions are asked for: the owners of accounts, and those of tokens. */
export interface OwnerKeys {
  owners: readonly Pubkey[];
  tokenOwners: readonly Pubkey[];
}

const STATE = `s AS MATERIALIZED (SELECT index_id, indexed_slot, revision FROM indexer_state)`;
const END_ID = `(SELECT (indexed_slot + 1) << 16 FROM s)`;
const FIRST_ID = `($1::bigint >> 16 << 16)`;
const PLACE = `(t.id >> 16 << 16) + t.block_index`;
const PAGE_COLUMNS = `t.id, ${PLACE} AS place, t.block_index, t.signature, t.block_time, t.consumed, t.created`;

/** A row for each transaction of the table `page`, at least one row. @param rest another column */
function selectPage(rest: string): string {
  const recordsOf = (hashes: string, record: string, joins: string) => `
    SELECT string_agg(${record}, '' ORDER BY part.place) AS records FROM list_hashes(coalesce(${hashes}, '')) part
    JOIN accounts a ON a.hash = part.hash AND a.owner IS NOT NULL
    ${joins}`;
  return `
    SELECT s.index_id::text AS index_id, s.revision, s.indexed_slot, newest.blockhash AS indexed_blockhash, ${rest},
      page.place, page.signature, page.block_time, b.blockhash, consumed.records AS consumed, created.records AS created
    FROM s
    LEFT JOIN blocks newest ON newest.slot = s.indexed_slot
    LEFT JOIN page ON true
    LEFT JOIN blocks b ON b.slot = page.id >> 16
    LEFT JOIN LATERAL (${recordsOf('page.consumed', RECORD, RECORD_JOINS)}) consumed ON true
    LEFT JOIN LATERAL (${recordsOf('page.created', RECORD_AS_CREATED, recordJoinsAsCreated('true'))}) created ON true
    ORDER BY page.place`;
}

/**
 * At most $2 transactions from place $1 on. They end with the slot in which the transaction after them is (`bound`), unless that slot
 * alone fills the page.
 *
 * @param firstIds the first $2 + 1 ids from the slot of $1 on, or all of the first ones
 * @param isOfPage the condition on `transactions t` up to an id
 */
function pageStatement(name: string, firstIds: string, isOfPage: (endId: string) => string): Statement {
  return {
    name,
    text: `
    WITH ${STATE},
    bound AS MATERIALIZED (
      SELECT id >> 16 AS slot FROM (${firstIds}) ids ORDER BY id OFFSET $2 LIMIT 1),
    page AS MATERIALIZED (
      SELECT ${PAGE_COLUMNS} FROM transactions t
      WHERE ${isOfPage(`least(${END_ID}, (SELECT (slot + 1) << 16 FROM bound))`)} AND ${PLACE} >= $1
      ORDER BY ${PLACE} LIMIT $2)
    ${selectPage('(SELECT slot FROM bound) AS bound')}`,
  };
}

export const BRANCH_TRANSACTIONS = pageStatement(
  'branch-transactions',
  `SELECT id FROM transactions WHERE id >= ${FIRST_ID} AND id < ${END_ID} ORDER BY id LIMIT $2 + 1`,
  (endId) => `t.id >= ${FIRST_ID} AND t.id < ${endId}`,
);

const ofOwners = (table: string, keys: string, condition: string) => `
  SELECT listed.id FROM unnest(${keys}::bytea[]) AS list (key) CROSS JOIN LATERAL (
    SELECT o.transaction_id AS id FROM ${table} o
    WHERE o.owner_digest = key_digest(list.key) AND o.transaction_id >= ${FIRST_ID} AND o.transaction_id < ${condition}
  ) listed`;
const ofAllOwners = (condition: string) => `
  ${ofOwners('owner_signatures', '$3', condition)}
  UNION
  ${ofOwners('token_owner_signatures', '$4', condition)}`;

/** The same for the transactions of owners $3 and token owners $4. */
export const OWNER_TRANSACTIONS = pageStatement(
  'owner-transactions',
  ofAllOwners(`${END_ID} ORDER BY o.transaction_id LIMIT $2 + 1`),
  (endId) => `t.id = ANY (ARRAY(${ofAllOwners(endId)}))`,
);

/** The transactions, at most $2, that revisions after $3 have amended, from place $1 on and before place $4. */
export const AMENDED_TRANSACTIONS: Statement = {
  name: 'amended-transactions',
  text: `
    WITH ${STATE},
    amended AS MATERIALIZED (
      SELECT DISTINCT place FROM revisions r CROSS JOIN LATERAL unnest(r.amended) AS list (place)
      WHERE r.revision > $3 AND place >= $1 AND place < $4 ORDER BY place LIMIT $2),
    page AS MATERIALIZED (
      SELECT ${PAGE_COLUMNS} FROM amended
      JOIN transactions t ON t.id >= amended.place >> 16 << 16 AND t.id < ((amended.place >> 16) + 1) << 16
        AND t.block_index = amended.place & 65535)
    ${selectPage(`(SELECT max(place) FROM amended HAVING count(*) = $2) AS bound`)}`,
};

interface Row {
  index_id: string;
  revision: string;
  indexed_slot: string | null;
  indexed_blockhash: Buffer | null;
  bound: string | null;
  /** Null if the page is empty. */
  place: string | null;
  signature: Buffer;
  block_time: string;
  blockhash: Buffer | null;
  consumed: Buffer | null;
  created: Buffer | null;
}

/**
 * Returns the transactions from a place on.
 *
 * @param keys null: all of them; otherwise those that created or consumed accounts of the owners
 * @throws StoreUnavailableError
 */
export async function findBranchPage(
  reader: Reader,
  { from, limit, keys = null }: { from: number; limit: number; keys?: OwnerKeys | null },
): Promise<BranchPage> {
  const rows = keys
    ? await reader.query<Row>(OWNER_TRANSACTIONS, [from, limit, keys.owners, keys.tokenOwners])
    : await reader.query<Row>(BRANCH_TRANSACTIONS, [from, limit]);
  const page = toPage(rows);
  const { bound } = rows[0];
  const last = page.transactions.at(-1);
  if (last && page.transactions.length === limit) return { ...page, next: last.place + 1, isLast: false };
  if (bound !== null) return { ...page, next: placeOf(Number(bound) + 1), isLast: false };
  return { ...page, next: Math.max(from, placeOf((page.indexedSlot ?? -1) + 1)), isLast: true };
}

/**
 * Returns transactions that were amended after a revision, with what they show now. Those that were reverted since are left out.
 *
 * @param before the place at which they end
 * @throws StoreUnavailableError
 */
export async function findAmendedPage(
  reader: Reader,
  { after, from, before, limit }: { after: number; from: number; before: number; limit: number },
): Promise<BranchPage> {
  const rows = await reader.query<Row>(AMENDED_TRANSACTIONS, [from, limit, after, before]);
  const { bound } = rows[0];
  return { ...toPage(rows), next: bound === null ? before : Number(bound) + 1, isLast: bound === null };
}

function toPage(rows: readonly Row[]): Omit<BranchPage, 'next' | 'isLast'> {
  const [{ index_id: id, revision, indexed_slot: slot, indexed_blockhash: blockhash }] = rows;
  return {
    indexId: toIndexId(id),
    revision: Number(revision),
    indexedSlot: slot === null ? null : Number(slot),
    blockhash: blockhash && toHash(blockhash),
    transactions: rows.flatMap((row) => (row.place === null ? [] : [toTransaction(row, Number(row.place))])),
  };
}

function toTransaction(row: Row, place: number): BranchTransaction {
  const slot = Math.floor(place / PLACES_PER_SLOT);
  return {
    place,
    slot,
    index: place - placeOf(slot),
    signature: toSignature(row.signature),
    blockTime: Number(row.block_time),
    blockhash: row.blockhash && toHash(row.blockhash),
    consumed: [...new PackedRows(row.consumed, toAccountRecord)],
    created: [...new PackedRows(row.created, toAccountRecord)],
  };
}
