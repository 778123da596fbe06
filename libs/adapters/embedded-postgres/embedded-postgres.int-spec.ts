import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { EmbeddedPostgres } from './embedded-postgres';

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client(url);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

describe('EmbeddedPostgres', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'fresnel-pg-')); // closed to everybody but us, as such folders are
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('keeps its data over a stop and a new start', async () => {
    const first = await EmbeddedPostgres.start(folder, () => undefined);
    await query(first.url, 'create table kept as select 7 as value');
    await first.stop();
    await expect(query(first.url, 'select 1')).rejects.toThrow('ECONNREFUSED');
    const second = await EmbeddedPostgres.start(folder, () => undefined);
    expect(await query(second.url, 'select value from kept')).toEqual([{ value: 7 }]);
    await second.stop();
    expect(statSync(join(folder, 'postgres.password')).mode & 0o077).toBe(0);
  }, 60_000);

  it('refuses a folder that another server uses, and says which process', async () => {
    const first = await EmbeddedPostgres.start(folder, () => undefined);
    await expect(EmbeddedPostgres.start(folder, () => undefined, { takeoverTimeoutMs: 300 })).rejects.toThrow(
      /in use by process \d+/,
    );
    await first.stop();
  }, 60_000);
});
