import { whileAvailable } from '@fresnel/adapters/store-schema';
import { type BlockRef, type FindingReason, type HistoryFinding } from '@fresnel/domain/chain';
import {
  type Hash,
  type Pubkey,
  type Signature,
  type Slot,
  toHash,
  toPubkey,
  toSlot,
  toSignature,
} from '@fresnel/domain/primitives';
import { type DataSource } from 'typeorm';
import { type StoredDeadLetter } from './dead-letter.store';

const ANCHOR = `SELECT anchor_slot, anchor_blockhash FROM indexer_state WHERE anchor_slot IS NOT NULL`;

const DECIDE_ANCHOR = `
  UPDATE indexer_state SET anchor_slot = $1, anchor_blockhash = $2
  WHERE anchor_slot IS NOT DISTINCT FROM $3 AND anchor_blockhash IS NOT DISTINCT FROM $4`;

const NEWEST_BLOCK = `SELECT slot, blockhash FROM blocks ORDER BY slot DESC LIMIT 1`;

/** Old blocks are deleted. Then the newest transaction has the time. */
const BLOCK_TIME = `
  SELECT block_time FROM (
    (SELECT slot, block_time FROM blocks WHERE slot <= $1::bigint ORDER BY slot DESC LIMIT 1)
    UNION ALL
    (SELECT id >> 16, block_time FROM transactions WHERE id < ($1::bigint + 1) << 16 ORDER BY id DESC LIMIT 1)
  ) AS newest ORDER BY slot DESC LIMIT 1`;

const COVERAGE = `
  SELECT s.anchor_slot, s.history_checked AS is_checked, s.history_problem AS problem, r.* FROM indexer_state s CROSS JOIN (
    SELECT min(from_slot) AS from_slot, max(to_slot) AS to_slot, sum(transactions) AS transactions,
      coalesce(array_agg(DISTINCT source), '{}') AS sources
    FROM attested_ranges) r`;

const IS_CHECKED = `SELECT history_checked FROM indexer_state`;

const SET_CHECKED = `UPDATE indexer_state SET history_checked = true, history_problem = NULL`;

const SET_PROBLEM = `UPDATE indexer_state SET history_problem = $1`;

const FINDINGS = `
  SELECT tree, reason, first_seq, last_seq, from_slot, to_slot FROM history_findings ORDER BY from_slot, tree, reason`;

const INSERT_FINDINGS = `
  INSERT INTO history_findings (tree, reason, first_seq, last_seq, from_slot, to_slot)
  SELECT * FROM unnest($1::bytea[], $2::text[], $3::numeric[], $4::numeric[], $5::bigint[], $6::bigint[])
  ON CONFLICT (tree, reason) DO UPDATE SET
    first_seq = excluded.first_seq, last_seq = excluded.last_seq, from_slot = excluded.from_slot, to_slot = excluded.to_slot`;

/** A leaf of a V1 tree has the hash of its account, until the account is spent and the leaf is nullified. A page has 16 leaves. */
const UNSPENT_NULLIFIED = `
  SELECT t.tree, min(a.created_by >> 16) AS slot
  FROM unspent_accounts u
  JOIN accounts a ON a.hash = u.hash
  JOIN trees t ON t.id = a.tree_id AND t.tree_type = 1
  JOIN state_trees s ON s.tree = t.tree AND a.leaf_index < s.next_index
  LEFT JOIN state_tree_pages p ON p.tree_digest = key_digest(t.tree) AND p.page = a.leaf_index >> 4
  WHERE p.nodes IS NULL OR substr(p.nodes, 1 + 32 * (a.leaf_index & 15)::integer, 32) <> a.hash
  GROUP BY t.tree`;

const UNSPENT_AMONG = `
  SELECT min(a.created_by >> 16) AS slot FROM unnest($1::bytea[]) AS list (hash)
  JOIN accounts a ON a.hash = list.hash
  WHERE NOT EXISTS (SELECT FROM spends s WHERE s.hash = list.hash)`;

const SLOTS_AROUND = `
  SELECT max(a.created_by >> 16) FILTER (WHERE a.leaf_index < $2) AS before,
    min(a.created_by >> 16) FILTER (WHERE a.leaf_index >= $2) AS after
  FROM accounts a JOIN trees t ON t.id = a.tree_id WHERE t.tree = $1`;

const UNKNOWN_SIGNATURES = `
  SELECT list.signature FROM unnest($1::bytea[]) AS list (signature)
  WHERE NOT EXISTS (SELECT FROM transactions t WHERE t.signature = list.signature)`;

const DEAD_LETTERS = `
  SELECT slot, reasons, json FROM dead_letters WHERE slot BETWEEN $1 AND $2 ORDER BY slot, block_index`;

/** The part of the index that history sources attest. */
export interface HistoryCoverage {
  fromSlot: Slot;
  toSlot: Slot;
  transactions: number;
  sources: string[];
  /** The slot at which it ends; null while it is not decided. */
  anchorSlot: Slot | null;
  /** Whether it was compared with the chain. */
  isChecked: boolean;
  /** Why the newest comparison could not be made; null if it was. */
  problem: string | null;
}

/** A transaction of history that could not be read completely. */
export type HistoryDeadLetter = Pick<StoredDeadLetter, 'slot' | 'reasons' | 'json'>;

interface CoverageRow {
  anchor_slot: string | null;
  is_checked: boolean;
  problem: string | null;
  from_slot: string | null;
  to_slot: string | null;
  transactions: string | null;
  sources: string[];
}

interface FindingRow {
  tree: Buffer;
  reason: FindingReason;
  first_seq: string | null;
  last_seq: string | null;
  from_slot: string;
  to_slot: string;
}

/** What the tables know of the history that a source has attested. Its functions throw StoreUnavailableError while the database is away. */
export class HistoryStore {
  constructor(private readonly dataSource: DataSource) {}

  /** The block at which attested history ends; null as long as it is not decided. */
  async findAnchor(): Promise<BlockRef | null> {
    const rows = await this.query<{ anchor_slot: string; anchor_blockhash: Buffer }[]>(ANCHOR);
    const row = rows.at(0);
    return row ? { slot: toSlot(Number(row.anchor_slot)), blockhash: toHash(row.anchor_blockhash) } : null;
  }

  /**
   * Decides the anchor, unless another process has.
   *
   * @param instead the one that it replaces; null: none is decided
   * @returns the decided one
   */
  async decideAnchor(anchor: BlockRef, instead: BlockRef | null): Promise<BlockRef> {
    const values = [anchor.slot, anchor.blockhash, instead?.slot ?? null, instead?.blockhash ?? null];
    await this.query(DECIDE_ANCHOR, values);
    return (await this.findAnchor()) ?? anchor;
  }

  /** The newest stored block, whether or not all before it is stored; null if there is none. */
  async findNewestBlock(): Promise<BlockRef | null> {
    const row = (await this.query<{ slot: string; blockhash: Buffer }[]>(NEWEST_BLOCK)).at(0);
    return row ? { slot: toSlot(Number(row.slot)), blockhash: toHash(row.blockhash) } : null;
  }

  /** The time of the newest stored block up to a slot, in unix seconds; null if there is none. */
  async findBlockTime(upTo: Slot): Promise<number | null> {
    const rows = await this.query<{ block_time: string }[]>(BLOCK_TIME, [upTo]);
    return rows.length === 0 ? null : Number(rows[0].block_time);
  }

  /** How much of the index comes from history sources; null: nothing. */
  async findCoverage(): Promise<HistoryCoverage | null> {
    const [row] = await this.query<CoverageRow[]>(COVERAGE);
    if (row.from_slot === null) return null;
    return {
      fromSlot: toSlot(Number(row.from_slot)),
      toSlot: toSlot(Number(row.to_slot)),
      transactions: Number(row.transactions),
      sources: row.sources,
      anchorSlot: row.anchor_slot === null ? null : toSlot(Number(row.anchor_slot)),
      isChecked: row.is_checked,
      problem: row.problem,
    };
  }

  /** Whether history was compared with the chain. Before that no proof is served. */
  async isChecked(): Promise<boolean> {
    const [{ history_checked: isChecked }] = await this.query<{ history_checked: boolean }[]>(IS_CHECKED);
    return isChecked;
  }

  /** What the last comparison has found missing. */
  async listFindings(): Promise<HistoryFinding[]> {
    return (await this.query<FindingRow[]>(FINDINGS)).map((row) => ({
      tree: toPubkey(row.tree),
      reason: row.reason,
      sequenceNumbers:
        row.first_seq === null || row.last_seq === null ? null : [BigInt(row.first_seq), BigInt(row.last_seq)],
      slots: [toSlot(Number(row.from_slot)), toSlot(Number(row.to_slot))],
    }));
  }

  /** Replaces what the comparison before has found. */
  async saveFindings(findings: readonly HistoryFinding[]): Promise<void> {
    await whileAvailable(() =>
      this.dataSource.transaction(async (manager) => {
        await manager.query(`DELETE FROM history_findings`);
        await manager.query(INSERT_FINDINGS, [
          findings.map(({ tree }) => tree),
          findings.map(({ reason }) => reason),
          findings.map(({ sequenceNumbers }) => sequenceNumbers?.[0] ?? null),
          findings.map(({ sequenceNumbers }) => sequenceNumbers?.[1] ?? null),
          findings.map(({ slots: [from] }) => from),
          findings.map(({ slots: [, to] }) => to),
        ]);
        await manager.query(SET_CHECKED);
      }),
    );
  }

  /** Stores why a comparison cannot be made, until one is. */
  async saveProblem(reason: string): Promise<void> {
    await this.query(SET_PROBLEM, [reason]);
  }

  /** V1 trees with leaves that are nullified although no transaction spends their accounts, with the slot of the oldest account. */
  async findUnspentNullified(): Promise<{ tree: Pubkey; slot: Slot }[]> {
    const rows = await this.query<{ tree: Buffer; slot: string }[]>(UNSPENT_NULLIFIED);
    return rows.map(({ tree, slot }) => ({ tree: toPubkey(tree), slot: toSlot(Number(slot)) }));
  }

  /** The slot of the oldest account among some that no transaction spends; null if all are spent, or not stored. */
  async findUnspentAmong(hashes: readonly Hash[]): Promise<Slot | null> {
    const [{ slot }] = await this.query<{ slot: string | null }[]>(UNSPENT_AMONG, [hashes]);
    return slot === null ? null : toSlot(Number(slot));
  }

  /** The slots of the newest account of a tree before a leaf index, and of the oldest one from it on. Reads all accounts. */
  async findSlotsAround(tree: Pubkey, leafIndex: number): Promise<{ before: Slot | null; after: Slot | null }> {
    const values = [tree, leafIndex];
    const [row] = await this.query<{ before: string | null; after: string | null }[]>(SLOTS_AROUND, values);
    const toSlotOrNull = (slot: string | null) => (slot === null ? null : toSlot(Number(slot)));
    return { before: toSlotOrNull(row.before), after: toSlotOrNull(row.after) };
  }

  /** Those of some transactions that are not stored. */
  async findUnknown(signatures: readonly Signature[]): Promise<Signature[]> {
    const rows = await this.query<{ signature: Buffer }[]>(UNKNOWN_SIGNATURES, [signatures]);
    return rows.map(({ signature }) => toSignature(signature));
  }

  /** The transactions of a range of slots that could not be read completely, in the order of the chain. */
  async listDeadLetters([from, to]: readonly [Slot, Slot]): Promise<HistoryDeadLetter[]> {
    const rows = await this.query<{ slot: string; reasons: string[]; json: string }[]>(DEAD_LETTERS, [from, to]);
    return rows.map(({ slot, reasons, json }) => ({ slot: toSlot(Number(slot)), reasons, json }));
  }

  private query<Row>(sql: string, values?: unknown[]): Promise<Row> {
    return whileAvailable(() => this.dataSource.query<Row>(sql, values));
  }
}
