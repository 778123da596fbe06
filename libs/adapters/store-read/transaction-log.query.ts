import { type Signature, type Slot, toSlot } from '@fresnel/domain/primitives';
import { decodeTransactionJson } from '@fresnel/domain/chain/transaction-json';
import { type Reader, type Statement } from './reader';

/** A transaction that an index stores: with compression, or one of which a part could not be read. */
export interface TransactionOfLog {
  slot: Slot;
  /** Among the transactions of its slot. */
  index: number;
  /** The `getTransaction` result, unchanged. */
  json: string;
  /** Why a part could not be read; empty if all was. */
  reasons: readonly string[];
}

export interface TransactionLogPage {
  /** Whole slots, in the order of the chain. */
  transactions: TransactionOfLog[];
  /** The first slot after them; null if there are no others in the range. */
  next: Slot | null;
}

/**
 * A page ends with the slot of its last transaction. One statement sees one state, so that a dead letter that is read again meanwhile is in
 * one of the two tables, or in both.
 */
export const TRANSACTION_LOG: Statement = {
  name: 'transaction-log',
  text: `
    WITH page AS MATERIALIZED (
      SELECT id FROM transactions WHERE id >= $1::bigint << 16 AND id < $2::bigint << 16 ORDER BY id LIMIT $3),
    cut AS MATERIALIZED (
      SELECT CASE WHEN count(*) < $3 THEN $2::bigint ELSE (max(id) >> 16) + 1 END AS slot FROM page)
    SELECT t.id >> 16 AS slot, t.block_index, t.signature, t.consumed, t.created, t.json, NULL AS letter,
      NULL::text[] AS reasons, cut.slot AS cut
    FROM cut JOIN transactions t ON t.id >= $1::bigint << 16 AND t.id < cut.slot << 16
    UNION ALL
    SELECT d.slot, d.block_index, NULL, NULL, NULL, NULL, d.json, d.reasons, cut.slot
    FROM cut JOIN dead_letters d ON d.slot >= $1::bigint AND d.slot < cut.slot
    ORDER BY slot, block_index`,
};

type Row = { slot: string; block_index: number; cut: string } & (
  | { letter: null; signature: Signature; consumed: Buffer; created: Buffer; json: Buffer }
  | { letter: string; reasons: string[] }
);

/**
 * Reads the transactions of a range of slots, page by page.
 *
 * @param range the last slot is included
 * @param limit of a page; it may have a slot more
 */
export async function readTransactionLog(
  reader: Reader,
  { from, to }: { from: Slot; to: Slot },
  limit: number,
): Promise<TransactionLogPage> {
  const rows = await reader.query<Row>(TRANSACTION_LOG, [from, to + 1, limit]);
  const found = new Map<string, TransactionOfLog>();
  for (const row of rows) {
    const place = { slot: toSlot(Number(row.slot)), index: row.block_index };
    const key = `${row.slot} ${row.block_index}`;
    const known = found.get(key);
    if (row.letter === null) {
      const json = decodeTransactionJson(row.json, [row.signature, row.consumed, row.created]);
      found.set(key, { ...place, json, reasons: known?.reasons ?? [] });
    } else {
      found.set(key, { ...place, json: known?.json ?? row.letter, reasons: row.reasons });
    }
  }
  const cut = rows.length === 0 ? to + 1 : Number(rows[0].cut);
  return { transactions: [...found.values()], next: cut > to ? null : toSlot(cut) };
}

/** What an index is of. */
export interface IndexIdentity {
  /** Of the chain, in base58; null before anything is indexed. */
  genesisHash: string | null;
  firstSlot: Slot | null;
  indexedSlot: Slot | null;
}

const INDEX_IDENTITY: Statement = {
  name: 'index-identity',
  text: `SELECT genesis_hash, first_slot, indexed_slot FROM indexer_state`,
};

interface IdentityRow {
  genesis_hash: string | null;
  first_slot: string | null;
  indexed_slot: string | null;
}

export async function findIndexIdentity(reader: Reader): Promise<IndexIdentity> {
  const [row] = await reader.query<IdentityRow>(INDEX_IDENTITY, []);
  const toSlotOrNull = (slot: string | null) => (slot === null ? null : toSlot(Number(slot)));
  return {
    genesisHash: row.genesis_hash,
    firstSlot: toSlotOrNull(row.first_slot),
    indexedSlot: toSlotOrNull(row.indexed_slot),
  };
}
