import { provideSharedServers } from '@fresnel/testing/servers';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';

/** A database on a server of its own with the rows of several benches, filled for the first of them. */
export class FilledDatabase {
  private opened: { database: TestDatabase; stopServers: () => Promise<void> } | null = null;

  constructor(private readonly fill: (database: TestDatabase['dataSource']) => Promise<void>) {}

  async open(): Promise<TestDatabase> {
    if (this.opened) return this.opened.database;
    const stopServers = await provideSharedServers();
    const database = await createTestDatabase();
    await this.fill(database.dataSource);
    await database.dataSource.query('VACUUM ANALYZE');
    this.opened = { database, stopServers };
    return database;
  }

  /** Deletes the database. It can be opened, and is filled, again. */
  async close(): Promise<void> {
    await this.opened?.database.drop();
    await this.opened?.stopServers();
    this.opened = null;
  }
}
