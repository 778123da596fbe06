import { whileAvailable } from '@fresnel/adapters/store-schema';
import { type Signature, type Slot, toSlot } from '@fresnel/domain/primitives';
import { type DeadLetter } from '@fresnel/domain/state';
import { type DataSource } from 'typeorm';

/** A dead letter with its slot. */
export interface StoredDeadLetter extends DeadLetter {
  slot: Slot;
}

/** A dead letter as operators see it, without the transaction. */
export interface ListedDeadLetter extends Omit<StoredDeadLetter, 'json'> {
  storedAt: Date;
  retries: number;
  /** When ingest retries it next, once its block is final. */
  retryAt: Date;
}

/** Which dead letters a retry takes. */
export interface DueLetters {
  limit: number;
  /** Only those of blocks up to this slot, which can no longer be orphaned. */
  maxSlot: Slot;
  /** Pause before the retry after this one. It doubles with each retry. */
  firstPauseMs: number;
  maxPauseMs: number;
}

/** Which dead letters an operator means. */
export interface DeadLetterFilter {
  slot?: Slot;
  index?: number;
}

interface Row {
  slot: string;
  block_index: number;
  signature: Signature | null;
  reasons: string[];
}

interface ListedRow extends Row {
  stored_at: Date;
  retries: number;
  retry_at: Date;
}

/** Taking a dead letter schedules its next retry. So two processes never take the same one, and a crash delays it only. */
const TAKE_DUE = `
  WITH due AS (
    SELECT slot, block_index FROM dead_letters WHERE retry_at <= now() AND slot <= $2
    ORDER BY retry_at LIMIT $1
    FOR UPDATE SKIP LOCKED
  ),
  taken AS (
    UPDATE dead_letters d SET retries = d.retries + 1,
      retry_at = now() + least($3::float8 * 2 ^ least(d.retries, 30), $4::float8) * interval '1 millisecond'
    FROM due WHERE d.slot = due.slot AND d.block_index = due.block_index
    RETURNING d.slot, d.block_index, d.signature, d.reasons, d.json
  )
  SELECT * FROM taken ORDER BY slot, block_index`;

const MATCHING = `($1::bigint IS NULL OR slot = $1) AND ($2::integer IS NULL OR block_index = $2)`;

const MARK_DUE = `
  WITH marked AS (UPDATE dead_letters SET retry_at = now(), retries = 0 WHERE ${MATCHING} RETURNING 1)
  SELECT count(*)::integer AS count FROM marked`;

const LIST = `
  SELECT slot, block_index, signature, reasons, stored_at, retries, retry_at FROM dead_letters
  WHERE ${MATCHING} ORDER BY slot, block_index LIMIT $3`;

/** Reads stored dead letters, and schedules their retries. @throws StoreUnavailableError in every method */
export class DeadLetterStore {
  constructor(private readonly dataSource: DataSource) {}

  async count(): Promise<number> {
    const [{ count }] = await this.query<{ count: number }>(`SELECT count(*)::integer AS count FROM dead_letters`, []);
    return count;
  }

  /** Takes dead letters whose retry is due, and schedules the retry after it. In the order of the chain. */
  async takeDue({ limit, maxSlot, firstPauseMs, maxPauseMs }: DueLetters): Promise<StoredDeadLetter[]> {
    const rows = await this.query<Row & { json: string }>(TAKE_DUE, [limit, maxSlot, firstPauseMs, maxPauseMs]);
    return rows.map((row) => ({ ...toLetter(row), json: row.json }));
  }

  /** Has ingest retry dead letters at its next opportunity. @returns how many there are */
  async markDue({ slot, index }: DeadLetterFilter): Promise<number> {
    const [{ count }] = await this.query<{ count: number }>(MARK_DUE, [slot, index]);
    return count;
  }

  /** Lists dead letters in the order of the chain. */
  async list({ slot, index }: DeadLetterFilter, limit: number): Promise<ListedDeadLetter[]> {
    const rows = await this.query<ListedRow>(LIST, [slot, index, limit]);
    return rows.map((row) => ({
      ...toLetter(row),
      storedAt: row.stored_at,
      retries: row.retries,
      retryAt: row.retry_at,
    }));
  }

  /** The JSON text of the transaction; null if there is no such dead letter. */
  async findTransaction(slot: Slot, index: number): Promise<string | null> {
    const rows = await this.query<{ json: string }>(
      `SELECT json FROM dead_letters WHERE slot = $1 AND block_index = $2`,
      [slot, index],
    );
    return rows.at(0)?.json ?? null;
  }

  private query<Result>(sql: string, parameters: unknown[]): Promise<Result[]> {
    return whileAvailable(() => this.dataSource.query<Result[]>(sql, parameters));
  }
}

function toLetter({ slot, block_index: index, signature, reasons }: Row): Omit<StoredDeadLetter, 'json'> {
  return { slot: toSlot(Number(slot)), index, signature, reasons };
}
