import { sqlStateOf, StoreUnavailableError } from '@fresnel/adapters/store-schema';
import { messageOf } from '@fresnel/domain/primitives';
import { Client, type QueryResultRow } from 'pg';

export interface ReaderOptions {
  /** `postgres://user:password@host:port/database` */
  url: string;
  /** Each carries many requests at a time. */
  connections: number;
  /** After so long a statement is given up. */
  timeoutMs: number;
  applicationName: string;
}

/** A prepared statement; the name stands for the text. */
export interface Statement {
  name: string;
  text: string;
}

const CONNECT_TIMEOUT_MS = 3_000;

/**
 * Read-only connections that take new statements while earlier ones run. One statement is one snapshot, so every answer
 * is asked for in one statement.
 */
export class Reader {
  private readonly connections: ReadConnection[];
  private turn = 0;

  constructor(options: ReaderOptions) {
    this.connections = Array.from({ length: options.connections }, () => new ReadConnection(options));
  }

  /**
   * Runs a statement, a second time on a new connection if the first was found broken.
   *
   * @throws StoreUnavailableError when the database cannot be reached or takes too long
   */
  async query<Row extends QueryResultRow>(statement: Statement, values: unknown[]): Promise<Row[]> {
    this.turn = (this.turn + 1) % this.connections.length;
    const connection = this.connections[this.turn];
    try {
      return await connection.query<Row>(statement, values);
    } catch (error) {
      if (!(error instanceof BrokenConnectionError)) throw error;
    }
    try {
      return await connection.query<Row>(statement, values);
    } catch (error) {
      throw error instanceof BrokenConnectionError ? new StoreUnavailableError(error.message, { cause: error }) : error;
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.connections.map((connection) => connection.close()));
  }
}

/** The connection, not the statement, is at fault. */
class BrokenConnectionError extends Error {}

/** SQLSTATE classes that say the server is going away or was never there; other errors belong to the statement. */
const CONNECTION_STATES = /^(08|57P0)/;
/** The server or we stopped a statement that took too long. */
const CANCELLED = '57014';

class ReadConnection {
  private client: Promise<Client> | null = null;
  private isClosed = false;

  constructor(private readonly options: ReaderOptions) {}

  async query<Row extends QueryResultRow>(statement: Statement, values: unknown[]): Promise<Row[]> {
    if (this.isClosed) throw new StoreUnavailableError('the reader is closed');
    const opened = (this.client ??= this.open());
    try {
      const client = await opened;
      return (await client.query<Row>({ ...statement, values })).rows;
    } catch (error) {
      const state = sqlStateOf(error);
      if (state === CANCELLED) throw new StoreUnavailableError('the database took too long', { cause: error });
      if (state !== null && !CONNECTION_STATES.test(state)) throw error;
      this.drop(opened);
      if (messageOf(error) === 'Query read timeout') {
        throw new StoreUnavailableError('the database took too long', { cause: error });
      }
      throw new BrokenConnectionError(messageOf(error), { cause: error });
    }
  }

  private async open(): Promise<Client> {
    const client = new Client({
      connectionString: this.options.url,
      application_name: this.options.applicationName,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      statement_timeout: this.options.timeoutMs,
      query_timeout: this.options.timeoutMs + 500,
      options: '-c default_transaction_read_only=on',
      keepAlive: true,
      pipeline: true,
    });
    // The statement that runs into it reports it.
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  /** The next statement opens a new connection; what else waits on this one is told that it broke. */
  private drop(opened: Promise<Client>): void {
    if (this.client !== opened) return; // another statement was told first
    this.client = null;
    opened.then((client) => client.end()).catch(() => undefined);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    const client = await this.client?.catch(() => null);
    this.client = null;
    await client?.end().catch(() => undefined);
  }
}
