import { chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
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
  });

  it('gives each cluster a password of its own, and only the owner can read them', async () => {
    const dataDirs = ['one', 'other'].map((name) => join(folder, name));
    const servers = await Promise.all(dataDirs.map((dataDir) => EmbeddedPostgres.start(dataDir, () => undefined)));
    const [first, second] = servers.map(({ url }) => new URL(url));
    first.password = second.password;
    await expect(query(first.href, 'select')).rejects.toThrow('password authentication failed');
    for (const server of servers) await server.stop();
    for (const dataDir of dataDirs) {
      expect(readdirSync(dataDir).sort()).toEqual(['postgres', 'postgres.password']);
      expect(statSync(join(dataDir, 'postgres')).mode & 0o077).toBe(0);
    }
  });

  it('creates the cluster again if a start was interrupted before it was complete', async () => {
    mkdirSync(join(folder, 'postgres', 'base'), { recursive: true });
    writeFileSync(join(folder, 'postgres', 'PG_VERSION'), '18\n');
    writeFileSync(join(folder, 'postgres.password.unfinished'), 'any\n');
    const server = await EmbeddedPostgres.start(folder, () => undefined);
    expect(await query(server.url, 'select 7 as value')).toEqual([{ value: 7 }]);
    await server.stop();
    expect(readdirSync(folder).sort()).toEqual(['postgres', 'postgres.password']);
  });

  it('deletes no cluster whose password is missing, and says what to do', async () => {
    mkdirSync(join(folder, 'postgres'));
    writeFileSync(join(folder, 'postgres', 'PG_VERSION'), '18\n');
    await expect(EmbeddedPostgres.start(folder, () => undefined)).rejects.toThrow(/restore it, delete .*postgres/);
    expect(readdirSync(join(folder, 'postgres'))).toEqual(['PG_VERSION']);
  });

  // Only root can start a process as a user that the system does not know.
  (process.getuid?.() === 0 ? it : it.skip)('says what to do for a user id without a name', async () => {
    const dataDir = join(folder, 'data');
    mkdirSync(join(dataDir, 'postgres'), { recursive: true });
    chownSync(join(dataDir, 'postgres'), 1_000_650_000, 0);
    await expect(EmbeddedPostgres.start(dataDir, () => undefined)).rejects.toThrow(
      /user does not exist; start Fresnel as a user that has a name, or set DATABASE_URL$/,
    );
  });

  it('rejects a folder that another server uses, and names its process', async () => {
    const first = await EmbeddedPostgres.start(folder, () => undefined);
    await expect(EmbeddedPostgres.start(folder, () => undefined, { takeoverTimeoutMs: 300 })).rejects.toThrow(
      /in use by process \d+/,
    );
    await first.stop();
  });
});
