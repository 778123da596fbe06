import { Socket } from 'node:net';
import { TcpLink } from '@fresnel/testing/generic';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';
import { type DataSource } from 'typeorm';
import { connect } from './data-source';
import { Database } from './database';
import { StoreUnavailableError, whileAvailable } from './outage';

/** Far more than a statement that is answered takes on a busy machine. */
const TIMEOUT_MS = 2_000;

describe('a connection with a time limit', () => {
  let database: TestDatabase;
  let link: TcpLink;
  let dataSource: DataSource;
  beforeAll(async () => {
    database = await createTestDatabase({ migrated: false });
    link = await TcpLink.to(database.url);
  });
  beforeEach(async () => {
    // The only connection of its pool: the next statement fails too if a broken one is used again.
    dataSource = await connect({ url: link.url, poolSize: 1, applicationName: 'tests', timeoutMs: TIMEOUT_MS });
  });
  afterEach(() => dataSource.destroy());
  afterAll(async () => {
    await link.cut();
    await database.drop();
  });

  const findBackend = async () => {
    const [{ pid }] = await dataSource.query<{ pid: number }[]>('SELECT pg_backend_pid() AS pid');
    return pid;
  };

  it('is given up when the server is silent, and replaced by another one', async () => {
    const before = await findBackend();
    link.freeze();
    await expect(whileAvailable(findBackend)).rejects.toThrow(StoreUnavailableError);
    expect(await findBackend()).not.toBe(before);
  });

  it('that is opened again is given up in the same way', async () => {
    link.freeze();
    const opened = new Database(dataSource, link.url).open();
    await expect(opened).rejects.toThrow(StoreUnavailableError);
  });

  it('is given up when the server falls silent in a transaction', async () => {
    const transaction = dataSource.transaction(async (manager) => {
      await manager.query('SELECT 1');
      link.freeze();
      await manager.query('SELECT 2');
    });
    await expect(whileAvailable(() => transaction)).rejects.toThrow(StoreUnavailableError);
    await expect(dataSource.query('SELECT 3 AS value')).resolves.toEqual([{ value: 3 }]);
  });

  it('is used again after the server has ended a statement that took too long', async () => {
    const before = await findBackend();
    const sleeping = whileAvailable(() => dataSource.query('SELECT pg_sleep(60)'));
    await expect(sleeping).rejects.toThrow(
      expect.objectContaining({ code: 'store-unavailable', message: expect.stringContaining('statement timeout') }),
    );
    expect(await findBackend()).toBe(before);
  });

  it('includes the time for which a statement waits for a lock', async () => {
    const other = database.dataSource.createQueryRunner();
    await other.query('SELECT pg_advisory_lock(1)');
    const waiting = whileAvailable(() => dataSource.query('SELECT pg_advisory_lock(1)'));
    await expect(waiting).rejects.toThrow(StoreUnavailableError);
    await other.query('SELECT pg_advisory_unlock(1)');
    await other.release();
  });
});

describe('a connection without a time limit', () => {
  it('lets statements take as long as they need, and notices that the server is gone', async () => {
    const database = await createTestDatabase({ migrated: false });
    const keepAlive = jest.spyOn(Socket.prototype, 'setKeepAlive');
    const dataSource = await connect({ url: database.url, poolSize: 1, applicationName: 'tests' });
    await expect(dataSource.query('SHOW statement_timeout')).resolves.toEqual([{ statement_timeout: '0' }]);
    expect(keepAlive).toHaveBeenCalledWith(true, 10_000);
    await dataSource.destroy();
    await database.drop();
  });
});
