import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FresnelProcess } from '@fresnel/testing/stack';
import { createTestDatabase, digestState, type TestDatabase } from '@fresnel/testing/store';
import { APP_CONFIG } from './app.config';

describe('the command line', () => {
  let folder: string;
  beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'fresnel-cli-'))));
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it('lists its commands', async () => {
    const { code, stdout, stderr } = await FresnelProcess.run(['--help']);
    expect([code, stderr]).toEqual([0, '']);
    for (const name of ['start', 'migrate', 'replay LEDGER', 'generate']) expect(stdout).toContain(`fresnel ${name}`);
  });

  it('prints its version', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect((await FresnelProcess.run(['--version'])).stdout).toBe(`${version}\n`);
  });

  it.each(['start', 'replay'])('%s --help lists every environment variable with its default', async (command) => {
    const { code, stdout } = await FresnelProcess.run([command, '--help']);
    expect(code).toBe(0);
    for (const name of Object.keys(APP_CONFIG)) expect(stdout).toMatch(new RegExp(`^  ${name} +.+ \\[.+\\]$`, 'm'));
  });

  it.each([
    [['strat'], 'unknown command strat'],
    [['replay'], 'replay requires one LEDGER'],
    [['start', '--fast'], "Unknown option '--fast'"],
    [['generate'], 'generate requires --out FILE'],
    [['generate', '--out', 'x', '--seed', 'one'], '--seed one is not a whole number'],
  ])('rejects %j with a hint', async (args, message) => {
    const { code, stderr } = await FresnelProcess.run(args);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).toContain('fresnel --help');
  });

  it('reports all invalid environment variables together, and does not start', async () => {
    const { code, stderr } = await FresnelProcess.run(['start'], {
      GATEWAY_PORT: '99999',
      SOLANA_RPC_URL: 'localhost:8899',
      TREE_OWNER: 'not-a-key',
      RATE_LIMIT_ENABLED: 'yes',
      LOG_LEVEL: 'loud',
      INGEST_START_SLOT: '-1',
    });
    expect(code).toBe(2);
    const { error } = JSON.parse(stderr) as { error: { message: string } };
    expect(
      error.message
        .match(/^ {2}[A-Z_]+(?=: )/gm)
        ?.map((name) => name.trim())
        .sort(),
    ).toEqual(['GATEWAY_PORT', 'INGEST_START_SLOT', 'LOG_LEVEL', 'RATE_LIMIT_ENABLED', 'SOLANA_RPC_URL', 'TREE_OWNER']);
  });

  it.each([
    ['a missing ledger', 'missing.ndjson', null, 'missing.ndjson cannot be read'],
    ['an empty ledger', 'empty.ndjson', '', 'contains no block'],
    ['a ledger with a broken line', 'broken.ndjson', '{"slot":\n', 'broken.ndjson, line 1'],
  ])('replay reports %s', async (_, name, content, message) => {
    const ledger = join(folder, name);
    if (content !== null) writeFileSync(ledger, content);
    const { code, stderr } = await FresnelProcess.run(['replay', ledger], { FRESNEL_DATA_DIR: join(folder, 'none') });
    expect(code).toBe(1);
    expect(stderr).toContain(message);
  });

  it('replay can be interrupted while it reads the ledger for the first time', async () => {
    const pipe = join(folder, 'endless.ndjson');
    execFileSync('mkfifo', [pipe]); // cspell:ignore mkfifo
    const replay = FresnelProcess.start(['replay', pipe], { FRESNEL_DATA_DIR: join(folder, 'none') });
    const writer = await open(pipe, 'w'); // when the other end is open
    await writer.write('{"slot":1}\n');
    replay.signal('SIGINT');
    await replay.waitFor(/interrupted/);
    await writer.close(); // a process does not exit while it reads an open pipe
    const { code, stdout } = await replay.exited();
    expect([code, stdout]).toEqual([0, 'interrupted; run the same command to resume\n']);
  });

  describe('a generated ledger', () => {
    const databases: TestDatabase[] = [];
    afterAll(() => Promise.all(databases.map((database) => database.drop())));
    const path = (name: string) => join(folder, name);
    const generate = (name: string, ...more: string[]) =>
      FresnelProcess.run(['generate', '--out', path(name), '--slots', '40', '--seed', '7', ...more]);

    it('is the same for the same options', async () => {
      expect((await generate('one.ndjson', '--trees', path('trees.json'))).code).toBe(0);
      expect((await generate('two.ndjson')).stdout).toMatch(/^\d+ blocks written/);
      expect(readFileSync(path('one.ndjson')).equals(readFileSync(path('two.ndjson')))).toBe(true);
    });

    it('is indexed once, however often it is replayed', async () => {
      const database = await createTestDatabase({ migrated: false });
      databases.push(database);
      const env = { DATABASE_URL: database.url, TREES_FILE: path('trees.json') };
      expect((await FresnelProcess.run(['migrate'], env)).stdout).toMatch(/^applied /);
      expect((await FresnelProcess.run(['migrate'], env)).stdout).toBe('the schema is up to date\n');
      const first = await FresnelProcess.run(['replay', path('one.ndjson')], env);
      expect([first.code, first.stdout]).toEqual([0, expect.stringMatching(/blocks up to slot 10\d\d indexed in/)]);
      const digest = await digestState(database.dataSource);
      expect((await FresnelProcess.run(['replay', path('one.ndjson')], env)).code).toBe(0);
      expect(await digestState(database.dataSource)).toBe(digest);
    });

    it('is rejected by a database with another ledger', async () => {
      await FresnelProcess.run(['generate', '--out', path('other.ndjson'), '--slots', '5', '--seed', '8']);
      const env = { DATABASE_URL: databases[0].url, TREES_FILE: path('trees.json') };
      const { code, stderr } = await FresnelProcess.run(['replay', path('other.ndjson')], env);
      expect(code).toBe(1);
      expect(stderr).toContain('choose another FRESNEL_DATA_DIR or DATABASE_URL');
    });
  });
});
