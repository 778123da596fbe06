import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createConnection, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FresnelError, messageOf } from '@fresnel/domain/primitives';
import { findFreePort } from '@fresnel/platform';
import { eventually } from '@fresnel/testing/generic';
import { createTestDatabase, onDatabase, type TestDatabase } from '@fresnel/testing/store';
import { type EntityManager } from 'typeorm';
import { connect } from './data-source';
import { StorePermanentError, StoreUnavailableError, whileAvailable } from './outage';
import { SESSION_SETTINGS } from './session-settings';

const INSERT_TREE = `INSERT INTO trees (tree, queue, tree_type, height, root_history_capacity) VALUES (decode($1, 'hex'), '', 1, 26, 2400)`;

describe('a connection', () => {
  const read = async (url: string, names: readonly string[]) => {
    let values: unknown;
    await onDatabase(url, async (database) => {
      const columns = names.map((name) => `current_setting('${name}') AS ${name}`);
      [values] = await database.query<unknown[]>(`SELECT ${columns.join(', ')}`);
    });
    return values;
  };

  it('has its own settings, whatever those of the database are', async () => {
    const database = await createTestDatabase({ migrated: false });
    const others = {
      standard_conforming_strings: 'off',
      array_nulls: 'off',
      datestyle: 'SQL, DMY',
      default_transaction_isolation: 'serializable',
      idle_session_timeout: '1min',
      jit: 'on',
    };
    expect(Object.keys(others)).toEqual(Object.keys(SESSION_SETTINGS));
    const { pathname } = new URL(database.url);
    for (const [name, value] of Object.entries(others)) {
      await database.dataSource.query(`ALTER DATABASE ${pathname.slice(1)} SET ${name} = '${value}'`);
    }
    const expected = { ...SESSION_SETTINGS, datestyle: expect.stringMatching(/^ISO, /) as string };
    expect(await read(database.url, Object.keys(others))).toEqual(expected);
    await database.drop();
  });

  it('has them beside the options of its URL', async () => {
    const database = await createTestDatabase({ migrated: false });
    const url = `${database.url}&options=-c%20work_mem%3D8MB+-c+jit%3Don`;
    expect(await read(url, ['work_mem', 'jit'])).toEqual({ work_mem: '8MB', jit: 'off' });
    await database.drop();
  });
});

// cspell:ignore PGSQL SFATAL
describe('a Unix socket', () => {
  it('is connected to with the login of a URL without a host, and named if it fails', async () => {
    const database = await createTestDatabase({ migrated: false });
    const { hostname, port, username, password, pathname } = new URL(database.url);
    const folder = mkdtempSync(join(tmpdir(), 'fresnel-socket-'));
    const server = createServer((near) => {
      const far = createConnection(Number(port), hostname);
      for (const socket of [near, far]) socket.on('error', () => undefined);
      near.pipe(far).pipe(near);
    });
    await new Promise<void>((done) => server.listen(join(folder, '.s.PGSQL.5432'), done));
    const url = `postgres://${username}:${password}@${pathname}?host=${folder}`;
    const options = { poolSize: 1, applicationName: 'tests' };
    const dataSource = await connect({ url, ...options });
    await expect(dataSource.query('SELECT 1 AS one')).resolves.toEqual([{ one: 1 }]);
    await dataSource.destroy();
    server.close();
    rmSync(folder, { recursive: true });
    const failed = connect({ url, ...options });
    await expect(failed).rejects.toThrow(`cannot connect to Postgres at ${folder}${pathname}: `);
    await expect(failed).rejects.toThrow('connect ENOENT');
    await database.drop();
  });
});

describe('a failed connection', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase({ migrated: false });
  });
  afterAll(() => database.drop());

  const failure = async (change: (url: URL) => void) => {
    const url = new URL(database.url);
    change(url);
    const error: unknown = await connect({ url: url.href, poolSize: 1, applicationName: 'lost' }).catch(
      (e: unknown) => e,
    );
    if (!(error instanceof FresnelError)) throw new Error('unexpected failure', { cause: error });
    return error;
  };

  it('names the address if there is no server', async () => {
    const port = String(await findFreePort());
    const error = await failure((url) => {
      url.hostname = 'localhost';
      url.port = port;
      url.password = 'secret';
    });
    expect(error).toBeInstanceOf(StoreUnavailableError);
    expect(error.message).toContain(`cannot connect to Postgres at localhost:${port}/`);
    expect(error.message).toContain(`connect ECONNREFUSED 127.0.0.1:${port}`);
    expect(error.message).not.toContain('secret');
  });

  it.each([
    ['pathname', 'nowhere', 'database "nowhere" does not exist'],
    ['password', 'wrong', 'password authentication failed for user "fresnel"'],
  ] as const)('names the reason when the server rejects the %s', async (part, value, reason) => {
    const error = await failure((url) => (url[part] = value));
    expect(error).toBeInstanceOf(StorePermanentError);
    expect(error.message).toMatch(/^cannot connect to Postgres at 127\.0\.0\.1:\d+\/.+: /);
    expect(error.message).toContain(reason);
  });
});

describe('a server that refuses the startup', () => {
  /** The startup, as a server answers it that is only an error. */
  async function refuseWith(code: string, message: string): Promise<{ url: string; close: () => Promise<void> }> {
    const fields = Buffer.from(`SFATAL\0C${code}\0M${message}\0\0`);
    const header = Buffer.alloc(5);
    header.write('E');
    header.writeInt32BE(fields.length + 4, 1);
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end(Buffer.concat([header, fields])));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const url = `postgres://fresnel:secret@127.0.0.1:${(server.address() as AddressInfo).port}/fresnel`;
    return {
      url,
      close: () =>
        new Promise((done) =>
          server.close(() => {
            done();
          }),
        ),
    };
  }

  it.each([
    ['a parameter that a pooler does not know', '08P01', 'unsupported startup parameter: options', StorePermanentError],
    ['an old protocol', '08P01', 'unsupported frontend protocol 3.0', StorePermanentError],
    ['a pooler whose server is away', '08P01', 'server login has been failing, try again later', StoreUnavailableError],
    ['a pooler without a free connection', '08P01', 'query_wait_timeout', StoreUnavailableError],
    ['a server that starts', '57P03', 'the database system is starting up', StoreUnavailableError],
    ['a wrong password', '28P01', 'password authentication failed', StorePermanentError],
  ])('because of %s', async (_, code, message, type) => {
    const { url, close } = await refuseWith(code, message);
    const connected = connect({ url, poolSize: 1, applicationName: 'tests' });
    await expect(connected).rejects.toThrow(type);
    await expect(connected).rejects.toThrow(message);
    await close();
  });

  it('because it has no TLS', async () => {
    const database = await createTestDatabase({ migrated: false });
    const url = `${database.url}?sslmode=no-verify`;
    await expect(connect({ url, poolSize: 1, applicationName: 'tests' })).rejects.toThrow(
      expect.objectContaining({ code: 'store-permanent', message: expect.stringContaining('does not support SSL') }),
    );
    await database.drop();
  });
});

describe('a server that only reads after a failover', () => {
  it('is unavailable to writes, and left', async () => {
    const database = await createTestDatabase();
    const dataSource = await connect({ url: database.url, poolSize: 1, applicationName: 'tests' });
    const findBackend = async () =>
      (await dataSource.query<{ pid: number }[]>('SELECT pg_backend_pid() AS pid'))[0].pid;
    const write = () => whileAvailable(() => dataSource.transaction((manager) => manager.query(INSERT_TREE, ['01'])));
    const before = await findBackend();
    await dataSource.query('SET default_transaction_read_only = on');
    await expect(write()).rejects.toThrow(StoreUnavailableError);
    expect(await findBackend()).not.toBe(before);
    await write();
    await dataSource.destroy();
    await database.drop();
  });
});

describe('a connection that is lost in a transaction', () => {
  it.each([
    ['between two statements', (manager: EntityManager) => manager.query('SELECT 1')],
    ['before COMMIT', () => Promise.resolve()],
  ])('is an outage: %s', async (_, goOn) => {
    const database = await createTestDatabase({ migrated: false });
    const dataSource = await connect({ url: database.url, poolSize: 1, applicationName: 'tests' });
    const writing = whileAvailable(() =>
      dataSource.transaction(async (manager) => {
        const [{ pid }] = await manager.query<{ pid: number }[]>('SELECT pg_backend_pid() AS pid');
        await database.dataSource.query('SELECT pg_terminate_backend($1, 10000)', [pid]);
        await eventually('the loss is noticed', () => manager.queryRunner?.isReleased === true);
        await goOn(manager);
      }),
    );
    await expect(writing).rejects.toBeInstanceOf(StoreUnavailableError);
    expect(await dataSource.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await dataSource.destroy();
    await database.drop();
  });
});

describe('a database that is restored', () => {
  it.each([
    [
      'does not exist',
      (name: string) => `DROP DATABASE ${name} WITH (FORCE)`,
      (name: string) => `CREATE DATABASE ${name}`,
      'does not exist',
    ],
    [
      'allows no connections',
      (name: string) => `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`,
      (name: string) => `ALTER DATABASE ${name} ALLOW_CONNECTIONS true`,
      'is not currently accepting connections',
    ],
  ])('is unavailable while it %s, and used again afterwards', async (_, close, open, message) => {
    const database = await createTestDatabase({ migrated: false });
    const count = () =>
      whileAvailable(() => database.dataSource.query<{ one: number }[]>('SELECT 1 AS one')).then(([{ one }]) => one);
    const name = new URL(database.url).pathname.slice(1);
    const server = new URL(database.url);
    server.pathname = 'postgres';
    expect(await count()).toBe(1);
    await onDatabase(server.href, async (admin) => {
      await admin.query(close(name));
      await admin.query(`SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = $1`, [name]);
      // The first errors may be those of connections that were closed.
      await eventually('a new connection is refused', async () => {
        const error = await count().catch((reason: unknown) => reason);
        expect(error).toBeInstanceOf(StoreUnavailableError);
        return messageOf(error).includes(`database "${name}" ${message}`);
      });
      await admin.query(open(name));
    });
    expect(await count()).toBe(1);
    await database.drop();
  });
});
