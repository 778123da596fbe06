import { Socket } from 'node:net';
import { StoreUnavailableError } from '@fresnel/adapters/store-schema';
import { TcpLink } from '@fresnel/testing/generic';
import { createTestDatabase, type TestDatabase, waitForBlockedSessions } from '@fresnel/testing/store';
import { Client } from 'pg';
import { Reader, type ReaderOptions, type Statement } from './reader';

const APPLICATION = 'reader-under-test';
/** A time limit that tests wait for. Statements that must not fail take far less, also on a busy machine. */
const SHORT_MS = 2_000;
const ECHO: Statement = { name: 'echo', text: 'SELECT $1::text AS text, pg_backend_pid() AS backend' };
const EACH: Statement = {
  name: 'each',
  text: `SELECT 1000 / key::text::integer AS quotient, count(*) OVER () AS keys FROM unnest($1::text[]) WITH ORDINALITY AS list (key, place) ORDER BY place`,
};
const SLEEP: Statement = { name: 'sleep', text: 'SELECT pg_sleep($1)' };
const FAIL: Statement = { name: 'fail', text: 'SELECT 1 / $1::integer' };
const range = (count: number) => Array.from({ length: count }, (_, number) => String(number));

describe('Reader', () => {
  let database: TestDatabase;
  let link: TcpLink;
  let readers: Reader[];
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    readers = [];
    link = await TcpLink.to(database.url);
  });
  afterEach(async () => {
    await Promise.all(readers.map((reader) => reader.close()));
    await link.cut();
  });

  function open(options: Partial<ReaderOptions> = {}): Reader {
    const defaults = { url: link.url, connections: 1, timeoutMs: 5_000, applicationName: APPLICATION };
    const reader = new Reader({ ...defaults, ...options });
    readers.push(reader);
    return reader;
  }

  interface Echo {
    text: string;
    backend: number;
  }
  const echo = async (reader: Reader, text: string) => (await reader.query<Echo>(ECHO, [text]))[0];
  const echoAll = async (reader: Reader, texts: string[]) =>
    (await Promise.all(texts.map((text) => echo(reader, text)))).map(({ text }) => text);

  async function countConnections(): Promise<number> {
    const [{ count }] = await database.dataSource.query<{ count: string }[]>(
      `SELECT count(*) FROM pg_stat_activity WHERE application_name = $1 AND datname = current_database()`,
      [APPLICATION],
    );
    return Number(count);
  }

  async function until(condition: () => Promise<boolean>): Promise<void> {
    while (!(await condition())) await new Promise(setImmediate);
  }

  it('does not connect before the first statement', async () => {
    open({ connections: 3 });
    expect(await countConnections()).toBe(0);
  });

  it('opens another connection only for statements at the same time', async () => {
    const reader = open({ connections: 3 });
    for (const text of range(5)) await echo(reader, text);
    expect(await countConnections()).toBe(1);
    await echoAll(reader, range(2));
    expect(await countConnections()).toBe(2);
    await echoAll(reader, range(9));
    expect(await countConnections()).toBe(3);
  });

  it('reads only, and does not let the server compile statements, also with options in its URL', async () => {
    const reader = open({ url: `${database.url}&options=-c%20work_mem%3D8MB` });
    const names = ['jit', 'transaction_read_only', 'work_mem'];
    const text = `SELECT ${names.map((name) => `current_setting('${name}') AS ${name}`).join(', ')}`;
    await expect(reader.query({ name: 'settings', text }, [])).resolves.toEqual([
      { jit: 'off', transaction_read_only: 'on', work_mem: '8MB' },
    ]);
  });

  it('returns the right rows to each of many concurrent statements, on all its connections', async () => {
    const reader = open({ connections: 2 });
    const answers = await Promise.all(range(200).map((text) => echo(reader, text)));
    expect(answers.map(({ text }) => text)).toEqual(range(200));
    expect(new Set(answers.map(({ backend }) => backend)).size).toBe(2);
    expect(await countConnections()).toBe(2);
  });

  it('returns the right rows also if some statements fail', async () => {
    const reader = open();
    const answers = await Promise.allSettled(
      range(30).map((text, at) => (at % 3 === 0 ? reader.query(FAIL, [0]) : echo(reader, text))),
    );
    answers.forEach((answer, at) => {
      if (at % 3 === 0) expect(answer).toMatchObject({ status: 'rejected', reason: { code: '22012' } });
      else expect(answer).toMatchObject({ status: 'fulfilled', value: { text: String(at) } });
    });
    const backends = answers.flatMap((answer) =>
      answer.status === 'fulfilled' ? [(answer.value as Echo).backend] : [],
    );
    expect(new Set(backends).size).toBe(1);
  });

  describe('lookUp', () => {
    // Text has the same form in an array as in a buffer.
    const lookUp = (reader: Reader, number: number) =>
      reader.lookUp<{ quotient: number; keys: string }>(EACH, String(number) as unknown as Buffer);

    it('looks up the keys of a turn with one statement, and those of the next turn with another', async () => {
      const reader = open();
      for (const numbers of [[5, 10, 5, 1], [2]]) {
        const rows = await Promise.all(numbers.map((number) => lookUp(reader, number)));
        expect(rows).toEqual(numbers.map((number) => ({ quotient: 1000 / number, keys: String(numbers.length) })));
      }
    });

    it('looks up at most 100 keys at once', async () => {
      const reader = open({ connections: 2 });
      const rows = await Promise.all(Array.from({ length: 250 }, () => lookUp(reader, 1)));
      expect(rows.map(({ keys }) => keys)).toEqual(Array.from({ length: 250 }, (_, at) => (at < 200 ? '100' : '50')));
    });

    it('fails for each key of a failed statement, and not for later ones', async () => {
      const reader = open();
      const settled = await Promise.allSettled([lookUp(reader, 1), lookUp(reader, 0)]);
      expect(settled).toMatchObject([1, 2].map(() => ({ status: 'rejected', reason: { code: '22012' } })));
      expect((await lookUp(reader, 1)).quotient).toBe(1000);
      await link.cut();
      await expect(lookUp(reader, 1)).rejects.toThrow(StoreUnavailableError);
      await link.restore();
      expect((await lookUp(reader, 2)).quotient).toBe(500);
    });
  });

  it('throws the error of an invalid statement', async () => {
    const wrong = open().query({ name: 'wrong', text: 'SELECT nothing FROM nowhere' }, []);
    await expect(wrong).rejects.toMatchObject({ code: '42P01' });
  });

  it.each([
    ['a change', 'UPDATE indexer_state SET indexed_slot = 1'],
    ['a new table', 'CREATE TABLE written (id integer)'],
    ['a change inside a query', 'WITH w AS (DELETE FROM indexer_state RETURNING id) SELECT id FROM w'],
  ])('cannot do %s: the database rejects it', async (_, text) => {
    const reader = open();
    await expect(reader.query({ name: 'write', text }, [])).rejects.toMatchObject({ code: '25006' });
    expect(await echoAll(reader, ['still connected'])).toEqual(['still connected']);
  });

  // cspell:ignore ERRCODE
  describe('a failure that another connection may not have', () => {
    /** Fails with a SQLSTATE on the connection of one backend, or on each; returns the backend of another one. */
    const failOn = (state: string): Statement => ({
      name: `fail with ${state}`,
      text: `SELECT fail_on($1::integer, '${state}') AS backend`,
    });
    beforeAll(async () => {
      await database.dataSource.query(`
        CREATE FUNCTION fail_on(backend integer, state text) RETURNS integer LANGUAGE plpgsql AS $$
        BEGIN
          IF backend IS NULL OR backend = pg_backend_pid() THEN RAISE 'as the test wants' USING ERRCODE = state; END IF;
          RETURN pg_backend_pid();
        END $$`);
    });

    it.each([
      ['a replica that cancels a read', '40001'],
      ['a deadlock with the replay of changes', '40P01'],
      ['a prepared statement that is gone', '26000'],
      ['a prepared statement that a pooler has already', '42P05'],
    ])('is repeated once: %s', async (_, state) => {
      const reader = open();
      const { backend } = await echo(reader, 'before');
      const others = echoAll(reader, range(10));
      const [after] = await reader.query<Echo>(failOn(state), [backend]);
      expect(after.backend).not.toBe(backend);
      expect(await others).toEqual(range(10));
      await expect(reader.query(failOn(state), [null])).rejects.toThrow(StoreUnavailableError);
      expect(await echoAll(reader, ['next'])).toEqual(['next']);
    });

    it('is repeated once: a session without its prepared statements', async () => {
      const reader = open();
      await echo(reader, 'prepared');
      await reader.query({ name: 'deallocate', text: 'DEALLOCATE ALL' }, []);
      expect(await echoAll(reader, range(5))).toEqual(range(5));
    });

    it('asks for a pooler if prepared statements stay away', async () => {
      await expect(open().query(failOn('26000'), [null])).rejects.toThrow(
        /is the URL that of a pooler in transaction mode/,
      );
    });

    it('is a timeout for each statement that waits for one that is cancelled while it is prepared', async () => {
      const reader = open({ timeoutMs: SHORT_MS });
      await echo(reader, 'connected');
      const lock = database.dataSource.createQueryRunner();
      await lock.startTransaction();
      await lock.query('LOCK TABLE indexer_state IN ACCESS EXCLUSIVE MODE');
      const statement = { name: 'locked', text: 'SELECT count(*)::integer AS rows FROM indexer_state' };
      const settled = await Promise.allSettled([reader.query(statement, []), reader.query(statement, [])]);
      const timeout = {
        status: 'rejected',
        reason: { code: 'store-unavailable', message: 'the database took too long' },
      };
      expect(settled).toMatchObject([timeout, timeout]);
      await lock.rollbackTransaction();
      await lock.release();
      expect(await reader.query(statement, [])).toEqual([{ rows: 1 }]);
    });
  });

  it('replaces dropped connections without an error', async () => {
    const reader = open({ connections: 2 });
    for (const round of ['first', 'second', 'third']) {
      const texts = range(20).map((text) => `${round} ${text}`);
      expect(await echoAll(reader, texts)).toEqual(texts);
      link.drop();
    }
  });

  it('retries a statement whose connection was dropped', async () => {
    const reader = open();
    await echo(reader, 'connected');
    const lock = database.dataSource.createQueryRunner();
    await lock.startTransaction();
    await lock.query('LOCK TABLE indexer_state IN ACCESS EXCLUSIVE MODE');
    const waiting = reader.query({ name: 'count', text: 'SELECT count(*)::integer AS rows FROM indexer_state' }, []);
    await waitForBlockedSessions(database.dataSource);
    link.drop();
    await lock.rollbackTransaction();
    await lock.release();
    expect(await waiting).toEqual([{ rows: 1 }]);
  });

  it('closes a broken connection once, regardless of the number of pending statements', async () => {
    const reader = open();
    await echo(reader, 'connected');
    const end = jest.spyOn(Client.prototype, 'end');
    link.drop();
    expect(await echoAll(reader, range(50))).toEqual(range(50));
    expect(end).toHaveBeenCalledTimes(1);
    end.mockRestore();
  });

  it('retries when the server terminates its connection', async () => {
    const reader = open();
    const { backend } = await echo(reader, 'before');
    await database.dataSource.query(`SELECT pg_terminate_backend($1, 5000)`, [backend]);
    const after = await echo(reader, 'after');
    expect(after.text).toBe('after');
    expect(after.backend).not.toBe(backend);
  });

  it('throws while the database is unreachable, and works when it is back', async () => {
    const reader = open({ connections: 2 });
    await echoAll(reader, ['one', 'two']);
    await link.cut();
    for (const attempt of range(3)) {
      await expect(echo(reader, attempt)).rejects.toThrow(StoreUnavailableError);
    }
    await link.restore();
    expect(await echoAll(reader, range(10))).toEqual(range(10));
  });

  it('throws while the server rejects connections, and works when it accepts them', async () => {
    const reader = open({ connections: 2 });
    const name = new URL(database.url).pathname.slice(1);
    const other = await createTestDatabase();
    const allow = (isAllowed: boolean) =>
      other.dataSource.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS ${String(isAllowed)}`);
    await allow(false);
    for (let attempt = 0; attempt < 3; attempt++) {
      await expect(echo(reader, 'away')).rejects.toThrow(StoreUnavailableError);
    }
    await allow(true);
    expect(await echoAll(reader, range(4))).toEqual(range(4));
    await other.drop();
  });

  it('cancels only the statement that takes too long', async () => {
    const reader = open({ timeoutMs: SHORT_MS });
    const slow = reader.query(SLEEP, [60]);
    await expect(slow).rejects.toThrow(StoreUnavailableError);
    await expect(slow).rejects.toMatchObject({ isRetryable: true, message: 'the database took too long' });
    expect(await echoAll(reader, ['next'])).toEqual(['next']);
  });

  it('replaces a connection that does not respond', async () => {
    const reader = open({ timeoutMs: SHORT_MS });
    const { backend } = await echo(reader, 'before');
    process.kill(backend, 'SIGSTOP');
    try {
      await expect(echo(reader, 'no response')).rejects.toMatchObject({ message: 'the database took too long' });
      const after = await echo(reader, 'after');
      expect(after.backend).not.toBe(backend);
    } finally {
      process.kill(backend, 'SIGCONT');
    }
  });

  it('leaves all its connections when one is silent, and says so once', async () => {
    const silent: string[] = [];
    const reader = open({ connections: 3, timeoutMs: SHORT_MS, onSilence: (statement) => silent.push(statement) });
    await echoAll(reader, range(3));
    link.freeze();
    const attempts = await Promise.allSettled([echo(reader, 'first'), echo(reader, 'second')]);
    expect(attempts).toMatchObject(attempts.map(() => ({ reason: { message: 'the database took too long' } })));
    expect(await echoAll(reader, range(3))).toEqual(range(3));
    expect(silent).toEqual([ECHO.name]);
  });

  it('does not count as silent what is cancelled', async () => {
    const silent: string[] = [];
    const reader = open({ timeoutMs: SHORT_MS, onSilence: (statement) => silent.push(statement) });
    await expect(reader.query(SLEEP, [60])).rejects.toThrow('the database took too long');
    expect(silent).toEqual([]);
  });

  it('asks the system whether the server of an unused connection is there', async () => {
    const keepAlive = jest.spyOn(Socket.prototype, 'setKeepAlive');
    await echo(open(), 'connected');
    expect(keepAlive).toHaveBeenCalledWith(true, 10_000);
    keepAlive.mockRestore();
  });

  it('closes its connections after the pending statements', async () => {
    const reader = open({ connections: 3 });
    const answers = echoAll(reader, range(30));
    await Promise.resolve();
    await reader.close();
    expect(await answers).toEqual(range(30));
    await until(async () => (await countConnections()) === 0);
    await reader.close();
  });

  it('can be closed if it never connected, or cannot connect', async () => {
    await open().close();
    await link.cut();
    const reader = open({ connections: 2 });
    await expect(echo(reader, 'x')).rejects.toThrow(StoreUnavailableError);
    await reader.close();
    await link.restore();
  });
});
