import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type MadeSnapshot, type SnapshotComparison } from '@fresnel/features/operations';
import { ExactJson, Opened } from '@fresnel/testing/generic';
import { addTreeAccounts } from '@fresnel/testing/history';
import { checkAgainstOracle } from '@fresnel/testing/ledger';
import { type Environment, FresnelProcess, LiveLedger } from '@fresnel/testing/stack';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';

interface ManifestTree {
  nextIndex: number;
  root: string | null;
}

describe('fresnel snapshot', () => {
  const opened = new Opened();
  let ledger: LiveLedger;
  let root: string;
  let folder: string;
  let made: MadeSnapshot;
  beforeAll(async () => {
    ledger = opened.add(await LiveLedger.open({ seed: 43, slots: 260 }, 200));
    addTreeAccounts(ledger);
    ledger.node.methods.set('getTransaction', ([signature]) => {
      const found = ledger.oracle.getTransactionWithCompressionInfo(String(signature));
      return found && new ExactJson(found.transaction);
    });
    root = mkdtempSync(join(tmpdir(), 'fresnel-snapshot-'));
    folder = join(root, 'snapshot');
    const database = opened.add(await createTestDatabase());
    const app = FresnelProcess.start([], { ...ledger.env, DATABASE_URL: database.url });
    await app.waitForSlot(ledger.tip);
    made = await make(database, folder);
    await app.end('SIGTERM');
  });
  afterAll(async () => {
    await opened.close();
    rmSync(root, { recursive: true });
  });

  async function make({ url }: TestDatabase, path: string): Promise<MadeSnapshot> {
    const result = await FresnelProcess.run(['snapshot', 'make', path, '--json'], { DATABASE_URL: url });
    expect(result).toMatchObject({ code: 0 });
    return JSON.parse(result.stdout) as MadeSnapshot;
  }

  const envOf = (database: TestDatabase): Environment => {
    const env = Object.entries(ledger.env).filter(([name]) => name !== 'INGEST_START_SLOT');
    return { ...Object.fromEntries(env), DATABASE_URL: database.url };
  };

  it('starts another index over HTTP, which is killed, resumes, gives the same answers, and makes a snapshot too', async () => {
    expect(made.to).toBeLessThanOrEqual(ledger.tip - 31);
    const server = FresnelProcess.start(['snapshot', 'serve', folder, '--port', '0']);
    const url = await server.url();
    const database = opened.add(await createTestDatabase());
    const verified = await FresnelProcess.run(['snapshot', 'verify', url, '--json'], envOf(database));
    expect(verified).toMatchObject({ code: 0 });
    const { transactions, comparison } = JSON.parse(verified.stdout) as MadeSnapshot & {
      comparison: SnapshotComparison;
    };
    expect(transactions).toBe(made.transactions);
    expect(comparison).toMatchObject({
      isAnchorKnown: true,
      trees: made.trees,
      transactions: 200,
      equalTransactions: 200,
    });

    const load = ['snapshot', 'load', url, '--json', '--manifest-sha256', made.manifestSha256];
    const killed = FresnelProcess.start(load, envOf(database));
    await killed.waitFor(/ingest starts/);
    await killed.end('SIGKILL');
    const loaded = await FresnelProcess.run(load, envOf(database));
    expect(loaded).toMatchObject({ code: 0, stderr: expect.stringContaining('its trees are those of its manifest') });
    const history = { fromSlot: made.from, toSlot: made.to, anchorSlot: made.to, transactions: made.transactions };
    expect(JSON.parse(loaded.stdout)).toMatchObject({ history, findings: [] });
    await server.end('SIGTERM');

    ledger.reveal(40);
    const app = FresnelProcess.start([], envOf(database));
    await app.waitForSlot(ledger.tip);
    const { questions, differences } = await checkAgainstOracle(await app.url(), ledger.oracle);
    expect(differences).toEqual([]);
    expect(questions).toBeGreaterThan(1_000);
    const longer = join(root, 'longer');
    cpSync(folder, longer, { recursive: true });
    const next = await make(database, longer);
    expect(next).toMatchObject({ from: made.from, chunks: made.chunks + 1, newChunks: 1 });
    expect(next.to).toBeGreaterThan(made.to);
    await app.end('SIGTERM');
  });

  it.each([
    {
      lie: 'a root',
      tell: (trees: ManifestTree[]) => {
        const roots = trees.flatMap((tree) => tree.root ?? []);
        for (const tree of trees) tree.root &&= roots[(roots.indexOf(tree.root) + 1) % roots.length];
      },
    },
    { lie: 'a number of leaves', tell: ([tree]: ManifestTree[]) => tree.nextIndex++ },
  ])('refuses a manifest with $lie that its transactions do not give', async ({ lie, tell }) => {
    const lying = join(root, lie);
    cpSync(folder, lying, { recursive: true });
    const path = join(lying, 'manifest.json');
    const manifest = JSON.parse(readFileSync(path).toString()) as { trees: ManifestTree[] };
    tell(manifest.trees);
    writeFileSync(path, JSON.stringify(manifest));
    const database = opened.add(await createTestDatabase());
    const { code, stderr } = await FresnelProcess.run(['snapshot', 'load', lying], envOf(database));
    const message =
      /the manifest names sequence number \d+, .* of tree \w+, and its transactions give sequence number \d+/;
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(message) });
  });

  it.each([
    ['snapshot load', () => ({ args: ['snapshot', 'load', folder], env: {} })],
    ['backfill', () => ({ args: ['backfill'], env: { HISTORY_URL: `snapshot+${pathToFileURL(folder).href}` } })],
  ])('says at once what to do if the node has the blocks after its end no more: %s', async (_, command) => {
    const { args, env } = command();
    const database = opened.add(await createTestDatabase());
    ledger.node.firstAvailable = made.to + 2;
    const { code, stderr } = await FresnelProcess.run(args, { ...envOf(database), ...env });
    ledger.node.firstAvailable = 0;
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /ends at slot \d+, and no node .* has the blocks after it any more.*Use a newer snapshot or/,
    );
    const [{ count }] = await database.dataSource.query<{ count: string }[]>(`SELECT count(*) FROM transactions`);
    expect(count).toBe('0');
  });

  it.each([
    ['no action', [], /requires one of make, load, verify and serve/],
    ['no folder', ['make'], /snapshot make requires one FOLDER/],
    ['a hash that is none', ['load', 'x', '--manifest-sha256', 'abc'], /requires 64 hexadecimal digits/],
    ['another protocol', ['verify', 'ftp://host'], /is neither a folder nor a URL/],
    ['no node', ['load', 'x'], /snapshot load requires SOLANA_RPC_URL/],
    ['no mirror', ['load'], /a snapshot is required: name a MIRROR, or set HISTORY_URL/],
  ])('says what is wrong with the command line: %s', async (_, args, message) => {
    const { code, stderr } = await FresnelProcess.run(['snapshot', ...args]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(message) });
  });
});
