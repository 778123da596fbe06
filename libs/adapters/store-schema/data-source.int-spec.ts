import { createTestDatabase, insertTree, type TestDatabase } from '@fresnel/testing';
import { createDataSource, migrate } from './data-source';

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
    const other = createDataSource({ url: database.url, poolSize: 2, applicationName: 'other' });
    await other.initialize();
    const ran = await Promise.all([migrate(database.dataSource), migrate(other)]);
    expect(ran.map((names) => names.length).sort()).toEqual([0, 6]);
    await other.destroy();
  });
});
