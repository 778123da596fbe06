import { findMissingTopics } from '@fresnel/adapters/bus';
import { checkSchema } from '@fresnel/adapters/store-schema';
import { SLOT_EVENTS, TREE_UPDATES } from '@fresnel/contracts/messages';
import { readConfig } from '@fresnel/platform';
import { captureLog, TcpLink, until } from '@fresnel/testing/generic';
import { type SharedKafka, sharedKafka } from '@fresnel/testing/servers';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';
import { APP_CONFIG } from './app.config';
import { MigrationService } from './migration.service';

describe('migrate', () => {
  let database: TestDatabase;
  let kafka: SharedKafka;
  let env: Record<string, string>;
  beforeEach(async () => {
    database = await createTestDatabase({ migrated: false });
    kafka = await sharedKafka();
    env = {
      DATABASE_URL: database.url,
      KAFKA_BROKERS: kafka.brokers.join(),
      KAFKA_PREFIX: kafka.prefix,
      KAFKA_PARTITIONS: '1',
    };
  });
  afterEach(() => database.drop());

  function start() {
    const { logger, lines } = captureLog();
    const waits = () => lines.filter(({ msg }) => msg === 'dependency unavailable, retrying');
    const stop = new AbortController();
    return { migrating: new MigrationService(readConfig(APP_CONFIG, env), logger).run(stop.signal), waits, stop };
  }
  const missingTopics = () => findMissingTopics(kafka, [SLOT_EVENTS, TREE_UPDATES], captureLog().logger);

  it('waits until Postgres can be reached, and names the server meanwhile', async () => {
    const link = await TcpLink.to(database.url);
    await link.cut();
    env.DATABASE_URL = link.url;
    const { migrating, waits } = start();
    await until(() => waits().length > 1, [migrating]);
    expect(waits()[0].reason).toContain(`cannot connect to Postgres at ${new URL(link.url).host}`);
    await link.restore();
    await migrating;
    await checkSchema(database.dataSource);
    expect(await missingTopics()).toEqual([]);
    await link.cut();
  });

  it('waits until Kafka can be reached, after it has migrated the schema', async () => {
    const link = await TcpLink.to(`tcp://${kafka.brokers[0]}`);
    await link.cut();
    env.KAFKA_BROKERS = new URL(link.url).host;
    const { migrating, waits } = start();
    await until(() => waits().length > 0, [migrating]);
    expect(waits()[0].reason).toContain(`cannot connect to Kafka at ${env.KAFKA_BROKERS}`);
    await checkSchema(database.dataSource);
    await link.restore();
    await migrating;
    expect(await missingTopics()).toEqual([]);
    await link.cut();
  });

  it('fails at once at an error that time does not fix', async () => {
    const url = new URL(database.url);
    url.pathname = '/no-such-database';
    env.DATABASE_URL = url.href;
    const { migrating, waits } = start();
    await expect(migrating).rejects.toMatchObject({ code: 'store-permanent' });
    expect(waits()).toEqual([]);
  });

  it('fails at a shutdown, because it has not migrated', async () => {
    env.DATABASE_URL = 'postgres://127.0.0.1:1/x';
    const { migrating, waits, stop } = start();
    await until(() => waits().length > 0, [migrating]);
    stop.abort();
    await expect(migrating).rejects.toThrow('aborted');
  });
});
