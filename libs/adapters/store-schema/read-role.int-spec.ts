import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';
import { Client } from 'pg';
import { createReadRole } from './read-role';

const ROLE = 'fresnel_test_reader';

describe('createReadRole', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(() => database.drop());

  async function query(url: string, sql: string): Promise<unknown[]> {
    const client = new Client(url);
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  it('creates a role that can read every table, also future ones, and write none', async () => {
    const url = await createReadRole(database.url, ROLE);
    expect(await query(url, 'SELECT count(*) FROM accounts')).toEqual([{ count: '0' }]);
    await query(database.url, 'CREATE TABLE later AS SELECT 7 AS value');
    expect(await query(url, 'SELECT value FROM later')).toEqual([{ value: 7 }]);
    await expect(query(url, 'INSERT INTO later VALUES (8)')).rejects.toThrow('permission denied');
    await expect(query(url, 'UPDATE indexer_state SET indexed_slot = 1')).rejects.toThrow('permission denied');
  });

  it('gives an existing role a new password', async () => {
    const before = await createReadRole(database.url, ROLE);
    const url = await createReadRole(database.url, ROLE);
    await expect(query(before, 'SELECT 1')).rejects.toThrow('password authentication failed');
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });
});
