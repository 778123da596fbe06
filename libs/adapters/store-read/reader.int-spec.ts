import { StoreUnavailableError } from '@fresnel/adapters/store-schema';
import { TcpLink } from '@fresnel/testing/generic';
import { createTestDatabase, type TestDatabase, waitForBlockedSessions } from '@fresnel/testing/store';
import { Client } from 'pg';
import { Reader, type ReaderOptions, type Statement } from './reader';

const APPLICATION = 'reader-under-test';
const ECHO: Statement = { name: 'echo', text: 'SELECT $1::text AS said, pg_backend_pid() AS backend' };
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
    said: string;
    backend: number;
  }
  const echo = async (reader: Reader, text: string) => (await reader.query<Echo>(ECHO, [text]))[0];
  const say = async (reader: Reader, texts: string[]) =>
    (await Promise.all(texts.map((text) => echo(reader, text)))).map(({ said }) => said);

  async function countConnections(): Promise<number> {
    const [{ count }] = await database.dataSource.query<{ count: string }[]>(
      `SELECT count(*) FROM pg_stat_activity WHERE application_name = $1 AND datname = current_database()`,
      [APPLICATION],
    );
    return Number(count);
  }

  async function until(isSo: () => Promise<boolean>): Promise<void> {
    while (!(await isSo())) await new Promise(setImmediate);
  }

  it('asks nobody anything until there is a question', async () => {
    open({ connections: 3 });
    expect(await countConnections()).toBe(0);
  });

  it('answers each of many questions at once with its own answer, on the connections that it may have', async () => {
    const reader = open({ connections: 2 });
    const answers = await Promise.all(range(200).map((text) => echo(reader, text)));
    expect(answers.map(({ said }) => said)).toEqual(range(200));
    expect(new Set(answers.map(({ backend }) => backend)).size).toBe(2);
    expect(await countConnections()).toBe(2);
  });

  it('keeps answers apart when some of the questions fail', async () => {
    const reader = open();
    const answers = await Promise.allSettled(
      range(30).map((text, at) => (at % 3 === 0 ? reader.query(FAIL, [0]) : echo(reader, text))),
    );
    answers.forEach((answer, at) => {
      if (at % 3 === 0) expect(answer).toMatchObject({ status: 'rejected', reason: { code: '22012' } });
      else expect(answer).toMatchObject({ status: 'fulfilled', value: { said: String(at) } });
    });
    const backends = answers.flatMap((answer) =>
      answer.status === 'fulfilled' ? [(answer.value as Echo).backend] : [],
    );
    expect(new Set(backends).size).toBe(1);
  });

  it('tells the question, not the database, when a statement is wrong', async () => {
    const wrong = open().query({ name: 'wrong', text: 'SELECT nothing FROM nowhere' }, []);
    await expect(wrong).rejects.toMatchObject({ code: '42P01' });
  });

  it.each([
    ['a change', 'UPDATE indexer_state SET indexed_slot = 1'],
    ['a new table', 'CREATE TABLE written (id integer)'],
    ['a change inside a query', 'WITH w AS (DELETE FROM indexer_state RETURNING id) SELECT id FROM w'],
  ])('is refused %s by the database', async (_, text) => {
    const reader = open();
    await expect(reader.query({ name: 'write', text }, [])).rejects.toMatchObject({ code: '25006' });
    expect(await say(reader, ['still there'])).toEqual(['still there']);
  });

  it('opens new connections when the old ones are cut, and nobody notices', async () => {
    const reader = open({ connections: 2 });
    for (const round of ['first', 'second', 'third']) {
      const texts = range(20).map((text) => `${round} ${text}`);
      expect(await say(reader, texts)).toEqual(texts);
      link.drop();
    }
  });

  it('asks again what was under way when its connection was cut', async () => {
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

  it('lets go of a broken connection once, however many waited on it', async () => {
    const reader = open();
    await echo(reader, 'connected');
    const end = jest.spyOn(Client.prototype, 'end');
    link.drop();
    expect(await say(reader, range(50))).toEqual(range(50));
    expect(end).toHaveBeenCalledTimes(1);
    end.mockRestore();
  });

  it('asks again when the server ends its connection', async () => {
    const reader = open();
    const { backend } = await echo(reader, 'before');
    await database.dataSource.query(`SELECT pg_terminate_backend($1, 5000)`, [backend]);
    const after = await echo(reader, 'after');
    expect(after.said).toBe('after');
    expect(after.backend).not.toBe(backend);
  });

  it('says that the database is away, and answers when it is back', async () => {
    const reader = open({ connections: 2 });
    await say(reader, ['one', 'two']);
    await link.cut();
    for (const attempt of range(3)) {
      await expect(echo(reader, attempt)).rejects.toThrow(StoreUnavailableError);
    }
    await link.restore();
    expect(await say(reader, range(10))).toEqual(range(10));
  });

  it('gives up a statement that takes too long, and only that one', async () => {
    const reader = open({ timeoutMs: 200 });
    const slow = reader.query(SLEEP, [60]);
    await expect(slow).rejects.toThrow(StoreUnavailableError);
    await expect(slow).rejects.toMatchObject({ isRetryable: true, message: 'the database took too long' });
    expect(await say(reader, ['next'])).toEqual(['next']);
  });

  it('gives up a connection on which nothing comes back at all', async () => {
    const reader = open({ timeoutMs: 100 });
    const { backend } = await echo(reader, 'before');
    process.kill(backend, 'SIGSTOP');
    try {
      await expect(echo(reader, 'unheard')).rejects.toMatchObject({ message: 'the database took too long' });
      const after = await echo(reader, 'after');
      expect(after.backend).not.toBe(backend);
    } finally {
      process.kill(backend, 'SIGCONT');
    }
  });

  it('ends its connections when it is closed, and what was asked before is answered', async () => {
    const reader = open({ connections: 3 });
    const answers = say(reader, range(30));
    await Promise.resolve();
    await reader.close();
    expect(await answers).toEqual(range(30));
    await until(async () => (await countConnections()) === 0);
    await reader.close();
  });

  it('is closed in peace when it never connected, or cannot', async () => {
    await open().close();
    await link.cut();
    const reader = open({ connections: 2 });
    await expect(echo(reader, 'x')).rejects.toThrow(StoreUnavailableError);
    await reader.close();
    await link.restore();
  });
});
