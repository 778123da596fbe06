import { readFaultOf, SESSION_SETTINGS, StoreUnavailableError, withSettings } from '@fresnel/adapters/store-schema';
import { messageOf } from '@fresnel/domain/primitives';
import { inSpan } from '@fresnel/platform';
import { now } from '@fresnel/platform/time';
import DataLoader from 'dataloader';
import { Client, type QueryResultRow } from 'pg';
import { BatchingSocket } from './batching-socket';

/**
 * Settings of the connections. Every statement looks rows up by key and reads a page of them. The planner does not know the
 * page size or how many rows a key has: for large tables it would scan them, start parallel workers, or plan the statement
 * again at each execution, and each of these takes longer than the statement.
 */
export const READ_SETTINGS = {
  ...SESSION_SETTINGS,
  default_transaction_read_only: 'on',
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  max_parallel_workers_per_gather: '0',
  bytea_output: 'hex',
} as const;

export interface ReaderOptions {
  /** `postgres://user:password@host:port/database` */
  url: string;
  /** Maximum number of connections. Each one pipelines many statements. */
  connections: number;
  /** Time after which a statement fails. The server cancels it a little earlier. */
  timeoutMs: number;
  applicationName: string;
  /** Called after each statement. */
  onQuery?: (statement: string, outcome: 'ok' | 'failed', seconds: number) => void;
  /** Called when the database does not answer at all within the time of a statement. */
  onSilence?: (statement: string) => void;
}

/** A prepared statement. The name must be unique for its text. */
export interface Statement {
  name: string;
  text: string;
}

const CONNECT_TIMEOUT_MS = 3_000;
/** After this time without traffic, the system asks whether the server is there, and closes the connection if it is not. */
const KEEP_ALIVE_MS = 10_000;
/** How much of the time of a statement remains when the server cancels it: a server that has not by then is silent. */
const SILENCE_SHARE = 0.1;
/** Limits the rows that a request waits for because of others. */
const KEYS_AT_ONCE = 100;
const SPAN = { kind: 'client', attributes: { 'db.system.name': 'postgresql' } } as const;

/**
 * Runs statements on pipelined, read-only connections. A statement sees one snapshot, so each response must come from
 * one statement.
 */
export class Reader {
  private readonly connections: ReadConnection[];
  private readonly lookups = new Map<Statement, DataLoader<Buffer, QueryResultRow>>();

  constructor(private readonly options: ReaderOptions) {
    this.connections = Array.from({ length: options.connections }, () => new ReadConnection(options));
  }

  /**
   * Runs a statement. Retries once on a new connection if the connection is broken, if a replica cancels the statement because of
   * changes that it replays, or if the server has lost the prepared statement.
   *
   * @throws StoreUnavailableError when the database cannot be reached or takes too long
   */
  async query<Row extends QueryResultRow>(statement: Statement, values: unknown[]): Promise<Row[]> {
    // The first of the idle ones: another connection is opened only for statements at the same time.
    const connection = this.connections.reduce((a, b) => (b.pending < a.pending ? b : a));
    const startedAt = now();
    let outcome: 'ok' | 'failed' = 'failed';
    try {
      const rows = await inSpan(statement.name, SPAN, () => this.queryTwice<Row>(connection, statement, values));
      outcome = 'ok';
      return rows;
    } finally {
      this.options.onQuery?.(statement.name, outcome, (now() - startedAt) / 1000);
    }
  }

  /**
   * Looks up one key. The keys of a turn of the event loop are one statement: for a single row, most of the time of the
   * database and of the driver is the same for one key as for many.
   *
   * @param statement has an array of keys as its only parameter, and returns one row for each, in the same order
   * @throws StoreUnavailableError when the database cannot be reached or takes too long
   */
  lookUp<Row extends QueryResultRow>(statement: Statement, key: Buffer): Promise<Row> {
    let lookup = this.lookups.get(statement);
    if (!lookup) {
      lookup = new DataLoader((keys) => this.query(statement, [keys]), {
        cache: false,
        maxBatchSize: KEYS_AT_ONCE,
        batchScheduleFn: setImmediate,
      });
      this.lookups.set(statement, lookup);
    }
    return lookup.load(key) as Promise<Row>;
  }

  private async queryTwice<Row extends QueryResultRow>(
    connection: ReadConnection,
    statement: Statement,
    values: unknown[],
  ): Promise<Row[]> {
    for (let isRepeated = false; ; isRepeated = true) {
      try {
        return await connection.query<Row>(statement, values);
      } catch (error) {
        if (error instanceof SilentServerError) this.leaveSilentServer(statement);
        if (!(error instanceof BrokenConnectionError)) throw error;
        if (isRepeated) throw new StoreUnavailableError(error.message, { cause: error });
      }
    }
  }

  /** A firewall that drops the packets of one connection drops those of all that are as old. */
  private leaveSilentServer({ name }: Statement): void {
    this.options.onSilence?.(name);
    for (const connection of this.connections) connection.replace();
  }

  async close(): Promise<void> {
    await Promise.all(this.connections.map((connection) => connection.close()));
  }
}

/** The connection failed, not the statement. */
class BrokenConnectionError extends Error {}

/** The server neither answered a statement in time nor cancelled it, nor sent anything else on its connection. */
class SilentServerError extends StoreUnavailableError {}

const TOO_LONG = 'the database took too long';
const POOLER_HINT =
  'is the URL that of a pooler in transaction mode? Reads prepare statements, which need sessions or a pooler that supports them';

class ReadConnection {
  /** Statements without a result. */
  pending = 0;
  private client: Promise<Client> | null = null;
  /** When the server last answered. */
  private answeredAt = -Infinity;
  private isClosed = false;

  constructor(private readonly options: ReaderOptions) {}

  async query<Row extends QueryResultRow>(statement: Statement, values: unknown[]): Promise<Row[]> {
    this.pending++;
    try {
      return await this.run<Row>(statement, values);
    } finally {
      this.pending--;
    }
  }

  private async run<Row extends QueryResultRow>(statement: Statement, values: unknown[]): Promise<Row[]> {
    if (this.isClosed) throw new StoreUnavailableError('the reader is closed');
    const opened = (this.client ??= this.open());
    const client = await opened.catch((error: unknown) => {
      // Also if the server answers, for example that it has too many connections or not the database yet.
      this.drop(opened);
      throw new BrokenConnectionError(messageOf(error), { cause: error });
    });
    const sentAt = now();
    try {
      const { rows } = await client.query<Row>({ ...statement, values });
      this.answeredAt = now();
      return rows;
    } catch (error) {
      const fault = readFaultOf(error);
      if (fault === null || fault === 'cancelled') this.answeredAt = now();
      if (fault === null) throw error;
      if (fault === 'cancelled') throw new StoreUnavailableError(TOO_LONG, { cause: error });
      const isFirst = this.drop(opened);
      if (fault === 'late') {
        const LateError = isFirst && this.answeredAt < sentAt ? SilentServerError : StoreUnavailableError;
        throw new LateError(TOO_LONG, { cause: error });
      }
      const hint = fault === 'unprepared' ? `: ${POOLER_HINT}` : '';
      throw new BrokenConnectionError(`${messageOf(error)}${hint}`, { cause: error });
    }
  }

  private async open(): Promise<Client> {
    const client = new Client({
      connectionString: withSettings(this.options.url, READ_SETTINGS),
      application_name: this.options.applicationName,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      statement_timeout: Math.floor(this.options.timeoutMs * (1 - SILENCE_SHARE)),
      query_timeout: this.options.timeoutMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      pipeline: true,
      stream: () => new BatchingSocket(),
    });
    // The pending statements receive the error.
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  /** The next statement opens another connection. */
  replace(): void {
    if (this.client) this.drop(this.client);
  }

  /**
   * Closes a connection: its pending statements are answered or fail, and the next statement opens a new one.
   *
   * @returns false if another statement has already dropped it
   */
  private drop(opened: Promise<Client>): boolean {
    if (this.client !== opened) return false;
    this.client = null;
    opened.then((client) => client.end()).catch(() => undefined);
    return true;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    const client = await this.client?.catch(() => null);
    this.client = null;
    await client?.end().catch(() => undefined);
  }
}
