import { readConfig } from '@fresnel/platform';
import { captureLog, until } from '@fresnel/testing/generic';
import { sharedKafka } from '@fresnel/testing/servers';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';
import { APP_CONFIG } from './app.config';
import { MigrationService } from './migration.service';
import { MigrationWaiter } from './migration.waiter';

describe('a process that waits for the migration', () => {
  let database: TestDatabase;
  let env: Record<string, string>;
  beforeEach(async () => {
    database = await createTestDatabase({ migrated: false });
    const { brokers, prefix } = await sharedKafka();
    env = { DATABASE_URL: database.url, KAFKA_BROKERS: brokers.join(), KAFKA_PREFIX: prefix, KAFKA_PARTITIONS: '1' };
  });
  afterEach(() => database.drop());

  function start() {
    const { logger, lines } = captureLog();
    const reasons = () => lines.filter(({ msg }) => msg === 'waiting for the migration').map(({ reason }) => reason);
    const stop = new AbortController();
    const waiting = new MigrationWaiter(readConfig(APP_CONFIG, env), logger).run(stop.signal);
    return { waiting, lines, reasons, stop };
  }
  const migrate = () =>
    new MigrationService(readConfig(APP_CONFIG, env), captureLog().logger).run(new AbortController().signal);

  it('ends once the schema and the topics exist', async () => {
    const { waiting, lines, reasons } = start();
    await until(() => reasons().length > 0, [waiting]);
    expect(reasons()[0]).toMatch(/^the schema lacks .*: run the app "migrate" first$/);
    await migrate();
    await waiting;
    expect(lines.map(({ msg }) => msg)).toContain('schema and topics are up to date');
  });

  it('waits for the topics, too', async () => {
    await migrate();
    env.KAFKA_PREFIX += 'other.';
    const { waiting, reasons } = start();
    await until(() => reasons().length > 0, [waiting]);
    expect(reasons()[0]).toBe(`topic ${env.KAFKA_PREFIX}slot-events does not exist: run the app "migrate" first`);
    await migrate();
    await waiting;
  });

  it('ends at a shutdown, without success', async () => {
    const { waiting, lines, stop } = start();
    stop.abort();
    await waiting;
    expect(lines.filter(({ msg }) => msg === 'schema and topics are up to date')).toEqual([]);
  });

  it('fails at an error that a migration does not fix', async () => {
    const url = new URL(database.url);
    url.pathname = '/no-such-database';
    env.DATABASE_URL = url.href;
    await expect(start().waiting).rejects.toThrow('cannot connect to Postgres');
  });
});
