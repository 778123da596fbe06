import { Socket } from 'node:net';
import { messageOf } from '@fresnel/domain/primitives';
import { parseUrl } from '@fresnel/platform';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { CreateChainState1760000000000 } from './migrations/1760000000000-create-chain-state';
import { CreateAccounts1760000001000 } from './migrations/1760000001000-create-accounts';
import { CreateTransactions1760000002000 } from './migrations/1760000002000-create-transactions';
import { CreateTrees1760000003000 } from './migrations/1760000003000-create-trees';
import { CreateMigratedLeaves1760000004000 } from './migrations/1760000004000-create-migrated-leaves';
import { CreateSchemaFunctions1760000005000 } from './migrations/1760000005000-create-schema-functions';
import { isOutage, isRefusal, READ_ONLY, sqlStateOf, StorePermanentError, StoreUnavailableError } from './outage';
import { SESSION_SETTINGS, withSettings } from './session-settings';

export interface DatabaseOptions {
  /** `postgres://user:password@host:port/database` */
  url: string;
  /** Maximum number of connections. */
  poolSize: number;
  /** Shown in `pg_stat_activity`. */
  applicationName: string;
  /**
   * How long a statement may take, locks included. Then it fails as an outage. Default: no limit, for migrations and for
   * operators, whose statements may change whole tables.
   */
  timeoutMs?: number;
}

/**
 * A process that freezes or loses its connection inside a transaction keeps its row locks, which blocks other writers.
 * The server ends such a transaction after this time, which is also the default session timeout of a consumer group.
 */
const IDLE_IN_TRANSACTION_MS = 10_000;

/** After this time without traffic, the system asks whether the server is there, and closes the connection if it is not. */
const KEEP_ALIVE_MS = 10_000;

/** A statement that takes too long is ended by the server. This is how much later a server counts as silent. */
const SILENCE_MARGIN_MS = 1_000;

/** The pool closes connections that are unused for this time. */
const UNUSED_MS = 10_000;

/**
 * Connects to the database.
 *
 * @throws StoreUnavailableError while the server is unreachable, StorePermanentError if it rejects the connection; both
 * name   the server, without the password
 */
export async function connect(options: DatabaseOptions): Promise<DataSource> {
  const dataSource = createDataSource(options);
  await initialize(dataSource, options.url);
  return dataSource;
}

/** Connects a data source to its URL, see `connect`. Can be called again after a failure. */
export async function initialize(dataSource: DataSource, url: string): Promise<void> {
  try {
    await dataSource.initialize();
  } catch (error) {
    const server = parseUrl(url);
    const place = `${server?.searchParams.get('host') ?? server?.host}${server?.pathname}`;
    const ConnectError = isOutage(error) && !isRefusal(error) ? StoreUnavailableError : StorePermanentError;
    throw new ConnectError(`cannot connect to Postgres at ${place}: ${messageOf(error)}`, { cause: error });
  }
}

/**
 * Creates a data source: connections, transactions and migrations. There are no entities; statements are SQL. Nothing
 * connects yet.
 */
export function createDataSource({ url, poolSize, applicationName, timeoutMs }: DatabaseOptions): DataSource {
  return new DataSource({
    type: 'postgres',
    // TypeORM would look for it in node_modules at run time, where a bundled application does not have it.
    driver: pg,
    url: withSettings(url, SESSION_SETTINGS),
    poolSize,
    applicationName,
    connectTimeoutMS: 10_000,
    extra: {
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      onConnect: leaveReadOnlyServer,
      ...(timeoutMs === undefined ? {} : timeLimits(timeoutMs)),
    },
    migrations: [
      CreateChainState1760000000000,
      CreateAccounts1760000001000,
      CreateTransactions1760000002000,
      CreateTrees1760000003000,
      CreateMigratedLeaves1760000004000,
      CreateSchemaFunctions1760000005000,
    ],
    // A migration with `transaction = false` builds an index concurrently, which Postgres does not do in a transaction.
    migrationsTransactionMode: 'each',
    logging: false,
  });
}

/** Closes a connection of the pool when its server only reads. The next one may lead to the new primary. */
function leaveReadOnlyServer(client: pg.Client): void {
  client.connection.on('errorMessage', (error: unknown) => {
    if (sqlStateOf(error) === READ_ONLY) void client.end();
  });
}

/**
 * Two limits: the server ends a statement that takes too long, and a connection whose server is silent is closed. A
 * statement on it fails, and the pool opens another one.
 */
function timeLimits(timeoutMs: number): pg.PoolConfig {
  return {
    statement_timeout: timeoutMs,
    // Unused connections are silent too. The pool closes them before.
    idleTimeoutMillis: Math.min(UNUSED_MS, timeoutMs),
    stream: () => createSocket(timeoutMs + SILENCE_MARGIN_MS),
  };
}

/** Creates a socket that closes after a time in which neither side sends. */
function createSocket(silenceMs: number): Socket {
  const socket = new Socket();
  return socket.setTimeout(silenceMs, () => {
    socket.destroy(new Error(`connection closed: the database was silent for ${silenceMs} ms`));
  });
}

/** The connection pool of a data source; null before it is connected. */
export function poolOf({ driver }: DataSource): pg.Pool | null {
  const pool: unknown = 'master' in driver ? driver.master : null;
  return pool instanceof pg.Pool ? pool : null;
}
