import { execFileSync } from 'node:child_process';
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

describe('a template', () => {
  let folder: string;
  let template: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'fresnel-pg-template-'));
    template = join(folder, 'template');
    // Two at once.
    await Promise.all([1, 2].map(() => EmbeddedPostgres.makeTemplate(template, createTable)));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const createTable = async (url: string) => {
    await query(url, 'create table prepared as select 7 as value');
  };
  const newDataDir = () => mkdtempSync(join(folder, 'data-'));
  const isFromTemplate = async ({ url }: EmbeddedPostgres) =>
    (await query(url, `select from pg_tables where tablename = 'prepared'`)).length === 1;
  const start = (dataDir: string, from = template) =>
    EmbeddedPostgres.start(dataDir, () => undefined, { template: from });

  it('is made once, and only its owner can read it', async () => {
    await EmbeddedPostgres.makeTemplate(template, () => Promise.reject(new Error('made again')));
    expect(readdirSync(folder)).toEqual(['template']);
    expect(statSync(template).mode & 0o077).toBe(0);
  });

  it('leaves nothing if it cannot be made', async () => {
    const failed = join(folder, 'failed');
    await expect(EmbeddedPostgres.makeTemplate(failed, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(readdirSync(folder).filter((name) => name.startsWith('failed'))).toEqual([]);
  });

  it('is copied to new data folders, each with a password of its own', async () => {
    const dataDirs = [newDataDir(), newDataDir()];
    const servers = await Promise.all(dataDirs.map((dataDir) => start(dataDir)));
    for (const server of servers) expect(await isFromTemplate(server)).toBe(true);
    const [first, second] = servers.map(({ url }) => new URL(url));
    first.password = second.password;
    await expect(query(first.href, 'select')).rejects.toThrow('password authentication failed');
    for (const server of servers) await server.stop();
    for (const dataDir of dataDirs) {
      expect(readdirSync(dataDir).sort()).toEqual(['postgres', 'postgres.password']);
      expect(statSync(join(dataDir, 'postgres.password')).mode & 0o077).toBe(0);
      expect(statSync(join(dataDir, 'postgres')).mode & 0o077).toBe(0);
    }
  });

  it('has a copy that only one of two starts takes', async () => {
    await EmbeddedPostgres.makeCopy(template);
    expect(readdirSync(folder)).toContain('template.copy');
    const servers = await Promise.all([newDataDir(), newDataDir()].map((dataDir) => start(dataDir)));
    for (const server of servers) {
      expect(await isFromTemplate(server)).toBe(true);
      await server.stop();
    }
    expect(new Set(servers.map(({ url }) => new URL(url).password)).size).toBe(2);
    expect(readdirSync(folder).filter((name) => name.startsWith('template'))).toEqual(['template']);
  });

  it('leaves an existing cluster as it is', async () => {
    const dataDir = newDataDir();
    const first = await start(dataDir);
    await query(first.url, 'create table kept as select 8 as value');
    await first.stop();
    const second = await start(dataDir);
    expect(new URL(second.url).password).toBe(new URL(first.url).password);
    expect(await query(second.url, 'select value from kept')).toEqual([{ value: 8 }]);
    await second.stop();
  });

  it('is copied again if a process ended during the copy', async () => {
    const dataDir = newDataDir();
    const unfinished = join(dataDir, 'postgres.copy-killed');
    mkdirSync(unfinished);
    writeFileSync(join(unfinished, 'PG_VERSION'), '18\n');
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 120_000);
    const server = await start(dataDir);
    jest.restoreAllMocks();
    expect(await isFromTemplate(server)).toBe(true);
    await server.stop();
    expect(readdirSync(dataDir).sort()).toEqual(['postgres', 'postgres.password']);
  });

  it.each([
    ['missing', () => undefined],
    [
      'without a file of the server',
      (broken: string) => {
        copyWithout(broken, 'global/pg_control');
      },
    ],
    [
      'an empty folder',
      (broken: string) => {
        mkdirSync(broken);
      },
    ],
  ])('is not used if it is %s', async (name, make) => {
    const broken = join(folder, name);
    make(broken);
    const dataDir = newDataDir();
    const server = await start(dataDir, broken);
    expect(await isFromTemplate(server)).toBe(false);
    await server.stop();
    expect(readdirSync(dataDir).sort()).toEqual(['postgres', 'postgres.password']);
  });

  /** Copies the template without one of its files. */
  function copyWithout(broken: string, file: string): void {
    execFileSync('cp', ['-Rp', template, broken]);
    rmSync(join(broken, file));
  }
});
