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
    folder = mkdtempSync(join(tmpdir(), 'fresnel-pg-')); // only this user can access it
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('keeps its data after a restart', async () => {
    const first = await EmbeddedPostgres.start(folder, () => undefined);
    await query(first.url, 'create table kept as select 7 as value');
    await first.stop();
    await expect(query(first.url, 'select 1')).rejects.toThrow('ECONNREFUSED');
    const second = await EmbeddedPostgres.start(folder, () => undefined);
    expect(await query(second.url, 'select value from kept')).toEqual([{ value: 7 }]);
    await second.stop();
    expect(statSync(join(folder, 'postgres.password')).mode & 0o077).toBe(0);
  }, 60_000);

  it('rejects a folder that another server uses, and names its process', async () => {
    const first = await EmbeddedPostgres.start(folder, () => undefined);
    await expect(EmbeddedPostgres.start(folder, () => undefined, { takeoverTimeoutMs: 300 })).rejects.toThrow(
      /in use by process \d+/,
    );
    await first.stop();
  }, 60_000);
});
