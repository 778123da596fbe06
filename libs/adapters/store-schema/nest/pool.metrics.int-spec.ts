import { Registry } from '@fresnel/platform';
import { until } from '@fresnel/testing/generic';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';
import { Database } from '../database';
import { measurePool } from './pool.metrics';

describe('the gauges of a connection pool', () => {
  let schema: TestDatabase;
  let database: Database;
  let registry: Registry;
  beforeAll(async () => {
    schema = await createTestDatabase();
    database = Database.create({ url: schema.url, poolSize: 1, applicationName: 'fresnel-tests' });
    registry = new Registry();
    measurePool(database.dataSource, registry);
  });
  afterAll(async () => {
    await database.close();
    await schema.drop();
  });

  /** The numbers of active connections, of idle ones, and of waiting requests. */
  async function read(): Promise<(number | undefined)[]> {
    const connections = await registry.getSingleMetric('fresnel_postgres_pool_connections')?.get();
    const waiting = await registry.getSingleMetric('fresnel_postgres_pool_waiting_requests')?.get();
    const inState = (state: string) => connections?.values.find(({ labels }) => labels.state === state)?.value;
    return [inState('active'), inState('idle'), waiting?.values.at(0)?.value];
  }

  it('show the connections in use, those that are free, and who waits for one', async () => {
    expect(await read()).toEqual([0, 0, 0]);
    await database.open();
    expect(await read()).toEqual([0, 1, 0]);
    const runner = database.dataSource.createQueryRunner();
    await runner.connect();
    expect(await read()).toEqual([1, 0, 0]);
    const waiting = database.dataSource.query('SELECT 1');
    await until(async () => (await read())[2] === 1);
    await runner.release();
    await waiting;
    await until(async () => (await read())[1] === 1);
    expect(await read()).toEqual([0, 1, 0]);
  });
});
