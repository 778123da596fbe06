import { FresnelError } from '@fresnel/domain/primitives';
import { findFreePort } from '@fresnel/platform';
import { createTestDatabase, insertTree, type TestDatabase } from '@fresnel/testing/store';
import { checkSchema, connect, migrate, SchemaBehindError } from './data-source';
import { StorePermanentError, StoreUnavailableError } from './outage';

describe('the schema', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase({ migrated: false });
  });
  afterEach(() => database.drop());

  it('made by the migrations is the one that the entities describe', async () => {
    await migrate(database.dataSource);
    const { upQueries } = await database.dataSource.driver.createSchemaBuilder().log();
    expect(upQueries.map(({ query }) => query)).toEqual([]);
  });

  it('is gone after every migration is taken back, and can be made again', async () => {
    const names = await migrate(database.dataSource);
    for (let left = names.length; left > 0; left--) await database.dataSource.undoLastMigration();
    const tables = await database.dataSource.query<{ table_name: string }[]>(
      `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'`,
    );
    expect(tables).toEqual([{ table_name: 'migrations' }]);
    expect(await migrate(database.dataSource)).toEqual(names);
  });

  it('keeps how far trees were appended to before appends were kept slot by slot', async () => {
    const { dataSource } = database;
    await migrate(dataSource);
    const appends = () => dataSource.query(`SELECT slot, next_leaf_index FROM tree_appends`);
    while (await appends().catch(() => null)) await dataSource.undoLastMigration();
    await insertTree(dataSource, {
      tree: Buffer.alloc(32, 1),
      queue: Buffer.alloc(32, 2),
      treeType: 3,
      appendedLeaves: 40,
    });
    await insertTree(dataSource, { tree: Buffer.alloc(32, 3), queue: Buffer.alloc(32, 4), treeType: 1 });
    await migrate(dataSource);
    expect(await appends()).toEqual([{ slot: '0', next_leaf_index: '40' }]);
  });

  it('is made once when two processes migrate at the same time', async () => {
    const other = await connect({ url: database.url, poolSize: 2, applicationName: 'other' });
    const ran = await Promise.all([migrate(database.dataSource), migrate(other)]);
    expect(ran.map((names) => names.length).sort()).toEqual([0, 6]);
    await other.destroy();
  });

  it('is asked for by those who do not make it themselves', async () => {
    const { dataSource } = database;
    await expect(checkSchema(dataSource)).rejects.toThrow(SchemaBehindError);
    const names = await migrate(dataSource);
    await checkSchema(dataSource);
    await dataSource.undoLastMigration();
    await expect(checkSchema(dataSource)).rejects.toThrow(
      `the schema lacks ${names[names.length - 1]}: run the app "migrate" first`,
    );
  });
});

describe('a connection that cannot be made', () => {
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
    if (!(error instanceof FresnelError)) throw new Error('another failure', { cause: error });
    return error;
  };

  it('says where there is no server', async () => {
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
  ] as const)('says that the server does not like the %s', async (part, value, reason) => {
    const error = await failure((url) => (url[part] = value));
    expect(error).toBeInstanceOf(StorePermanentError);
    expect(error.message).toMatch(/^cannot connect to Postgres at 127\.0\.0\.1:\d+\/.+: /);
    expect(error.message).toContain(reason);
  });
});
