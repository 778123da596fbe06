import { poolOf } from '@fresnel/adapters/store-schema';
import { now } from '@fresnel/platform/time';
import { type PoolClient } from 'pg';
import { type DataSource } from 'typeorm';
import { type OperationFaults } from './operation';
import { type Fault, type Scheduler } from './scheduler';

const FAULTS: OperationFaults = {
  lostReply: 0.004,
  notSent: 0.004,
  error: () => new Error('Connection terminated unexpectedly'),
};
const READ_ONLY = 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ';
/** `idle_in_transaction_session_timeout` of the connections. */
const IDLE_IN_TRANSACTION_MS = 10_000;

/** The tables of the index; the others only say which schema it has. */
const LIST_TABLES = `
  SELECT tablename AS name FROM pg_tables
  WHERE schemaname = 'public' AND tablename NOT IN ('migrations', 'schema_functions')`;

/** A connection that a process has taken from its pool. */
interface Session {
  actor: string;
  client: PoolClient;
  /** Returns the connection to the pool. */
  release: () => void;
  state: 'idle' | 'writes' | 'reads' | 'ended';
  usedAt: number;
}

/** What TypeORM calls of a pool. */
interface Connecting {
  connect(use: (error: Error | undefined, client?: PoolClient, release?: () => void) => void): void;
}

/**
 * The connections of all processes to one real Postgres. A statement outside of a transaction, the start of one and its commit are
 * operations; the statements between follow the start at once.
 *
 * A statement that waits for a row lock would end the run, so one transaction that may write excludes the others, as the locks
 * of one row would. Transactions with one snapshot only read, and exclude nothing.
 */
export class GatedPostgres {
  /** Whether something may have been committed since this was last set to false. */
  hasChanged = false;
  private readonly sessions = new Set<Session>();
  private readonly restores: (() => void)[] = [];
  private readonly connecting = new Set<Promise<void>>();
  private isClosed = false;
  /** The session whose transaction excludes others. */
  private writer: Session | null = null;

  private hasCopy = false;

  /** @param server a connection of the simulation's own */
  constructor(
    private readonly scheduler: Scheduler,
    private readonly server: Pick<DataSource, 'query'>,
  ) {}

  /** Everything that was committed after a moment is lost, as at a restore or a failover to a replica. */
  faults(failover: number): Fault[] {
    return [
      { name: 'copy of Postgres', probability: 0.006, happen: () => this.copy() },
      { name: 'failover of Postgres', probability: failover, happen: () => this.failOver() },
    ];
  }

  /** No failover goes back from now on. */
  forgetCopy(): void {
    this.hasCopy = false;
  }

  private async copy(): Promise<null> {
    const copies = (await this.listTables()).map(
      (name) => `CREATE UNLOGGED TABLE copied.${name} AS TABLE public.${name}`,
    );
    await this.server.query(['DROP SCHEMA IF EXISTS copied CASCADE', 'CREATE SCHEMA copied', ...copies].join(';'));
    this.hasCopy = true;
    return null;
  }

  private async failOver(): Promise<string | null> {
    if (!this.hasCopy) return null;
    for (const session of this.sessions) await this.endTransaction(session);
    const tables = await this.listTables();
    const restores = tables.map((name) => `INSERT INTO ${name} OVERRIDING SYSTEM VALUE TABLE copied.${name}`);
    await this.server.query([`TRUNCATE ${tables.join()}`, ...restores].join(';'));
    this.hasChanged = true;
    return 'its newest commits are lost';
  }

  private async listTables(): Promise<string[]> {
    const rows = await this.server.query<{ name: string }[]>(LIST_TABLES);
    return rows.map(({ name }) => name);
  }

  /** Connections of a data source belong to an actor from now on. */
  gate(dataSource: DataSource, actorOf: () => string): void {
    const pool = poolOf(dataSource) as Connecting | null;
    if (!pool) throw new Error('the data source is not connected');
    const connect = pool.connect.bind(pool);
    pool.connect = (use) => {
      if (this.isClosed) {
        use(FAULTS.error());
        return;
      }
      const actor = actorOf();
      const connected = new Promise<void>((done) => {
        connect((error, client, release) => {
          if (client && release && this.isClosed) {
            release();
            use(FAULTS.error());
          } else if (client && release) use(undefined, ...this.open(actor, client, release));
          else use(error);
          done();
        });
      });
      this.connecting.add(connected);
      void this.scheduler.track(connected).then(() => this.connecting.delete(connected));
    };
    this.restores.push(() => {
      pool.connect = connect;
    });
  }

  /** Ends the sessions of a process that was killed. */
  async end(actor: string): Promise<void> {
    for (const session of [...this.sessions]) {
      if (session.actor !== actor) continue;
      await this.endTransaction(session);
      session.release();
    }
  }

  /** Ends a transaction that its process has left open for too long, as the server does. */
  async endIdle(): Promise<void> {
    const { writer } = this;
    if (writer && now() - writer.usedAt > IDLE_IN_TRANSACTION_MS) await this.endTransaction(writer);
  }

  /**
   * Returns all connections to their pools. Processes that end because of it still ask for some, which would never be returned:
   * nothing executes their statements. They are refused.
   */
  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all(this.connecting);
    for (const session of [...this.sessions]) await this.end(session.actor);
    await new Promise(setImmediate);
    for (const restore of this.restores) restore();
  }

  private open(actor: string, client: PoolClient, release: () => void): [PoolClient, () => void] {
    const session: Session = { actor, client, release: () => undefined, state: 'idle', usedAt: now() };
    session.release = () => {
      if (this.sessions.delete(session)) release();
    };
    this.sessions.add(session);
    const query = (text: string, values?: unknown[]) => this.query(session, text, values);
    return [new Proxy(client, { get: (target, name) => pick(target, name, query) }), session.release];
  }

  private query(session: Session, text: string, values?: unknown[]): Promise<unknown> {
    session.usedAt = now();
    const run = () => session.client.query(text, values);
    if (text === 'ROLLBACK') return this.scheduler.track(this.endTransaction(session, 'idle'));
    if (session.state === 'ended') return Promise.reject(FAULTS.error());
    if (text === READ_ONLY) {
      this.leave(session, 'reads');
      return this.scheduler.track(run());
    }
    if (text === 'COMMIT') {
      return this.call(text, session, async () => {
        if (session.state === 'ended') throw FAULTS.error();
        try {
          return await run();
        } finally {
          this.leave(session, 'idle');
        }
      });
    }
    if (session.state === 'writes') return this.scheduler.track(run());
    if (session.state === 'reads') return this.call(describe(text), session, run);
    const isStart = text === 'START TRANSACTION';
    return this.call(
      describe(text),
      session,
      () => {
        if (isStart) {
          this.writer = session;
          session.state = 'writes';
        }
        return run();
      },
      () => this.writer === null,
    );
  }

  private call(name: string, { actor }: Session, run: () => Promise<unknown>, isReady?: () => boolean) {
    const runAndNote = () => {
      this.hasChanged = true;
      return run();
    };
    return this.scheduler.operation('postgres', name, runAndNote, FAULTS, { actor, isReady });
  }

  private leave(session: Session, state: Session['state']): void {
    if (this.writer === session) this.writer = null;
    session.state = state;
  }

  private async endTransaction(session: Session, state: Session['state'] = 'ended'): Promise<void> {
    if (session.state === 'writes' || session.state === 'reads') await session.client.query('ROLLBACK');
    this.leave(session, session.state === 'ended' ? 'ended' : state);
  }
}

function pick(client: PoolClient, name: string | symbol, query: unknown): unknown {
  if (name === 'query') return query;
  const value: unknown = Reflect.get(client, name);
  return typeof value === 'function' ? (value.bind(client) as unknown) : value;
}

/** The first words of a statement. */
function describe(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ').slice(0, 50);
}
