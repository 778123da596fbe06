import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type GeneratedBlock, generateLedger, LedgerOracle } from '@fresnel/ledger-generator';
import { FakeNode } from '@fresnel/testing/chain';
import { checkAgainstOracle } from '@fresnel/testing/ledger';
import { FresnelProcess, type Settings } from '@fresnel/testing/stack';
import { createTestDatabase, digestState, type TestDatabase } from '@fresnel/testing/store';

const SEED = 31;
/** Blocks that both branches have, however much is abandoned. */
const TRUNK = 40;
/** Blocks of the branch that survives, besides as many as are abandoned. */
const BEYOND = 12;

interface Fork {
  trunk: GeneratedBlock[];
  abandoned: GeneratedBlock[];
  survivors: GeneratedBlock[];
}

/** A ledger that leaves its last blocks. */
function forkAt(depth: number): Fork {
  const blocks = [...generateLedger({ seed: SEED, slots: TRUNK + 2 * depth + BEYOND })];
  const [trunk, abandoned] = [blocks.slice(0, TRUNK), blocks.slice(TRUNK, TRUNK + depth)];
  const branch = { fromSlot: abandoned[0].slot, seed: SEED + depth };
  const other = [...generateLedger({ seed: SEED, slots: TRUNK + 2 * depth + BEYOND, branch })];
  return { trunk, abandoned, survivors: other.slice(TRUNK) };
}

const tipOf = (blocks: readonly GeneratedBlock[]) => blocks[blocks.length - 1].slot;

describe('a chain that forks', () => {
  let folder: string;
  let node: FakeNode;
  let forked: TestDatabase;
  let clean: TestDatabase;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'fresnel-forks-'));
    const trees = ['--trees', join(folder, 'trees.json')];
    await FresnelProcess.run(['generate', '--out', join(folder, 'unused.ndjson'), '--slots', '1', ...trees]);
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });
  beforeEach(async () => {
    node = await FakeNode.start();
    forked = await createTestDatabase();
    clean = await createTestDatabase();
  });
  afterEach(async () => {
    await node.close();
    await forked.drop();
    await clean.drop();
  });

  const envFor = (database: TestDatabase, from: FakeNode): Settings => ({
    SOLANA_RPC_URL: from.url,
    DATABASE_URL: database.url,
    TREES_FILE: join(folder, 'trees.json'),
    INGEST_START_SLOT: '1000',
    INGEST_POLL_INTERVAL_MS: '20',
  });
  const start = () => FresnelProcess.start([], envFor(forked, node));

  /** Compares what a run that saw the fork says and holds with the oracle and a run that never saw it. */
  async function expectOnlySurvivors(app: FresnelProcess, { trunk, survivors }: Fork): Promise<void> {
    const oracle = new LedgerOracle();
    for (const block of [...trunk, ...survivors]) oracle.apply(block);
    await app.waitForSlot(tipOf(survivors));
    const { questions, differences } = await checkAgainstOracle(await app.url(), oracle);
    expect(differences).toEqual([]);
    expect(questions).toBeGreaterThan(300);
    expect((await app.end('SIGTERM')).code).toBe(0);
    const other = await FakeNode.start([...trunk, ...survivors]);
    const untouched = FresnelProcess.start([], envFor(clean, other));
    await untouched.waitForSlot(tipOf(survivors));
    expect((await untouched.end('SIGTERM')).code).toBe(0);
    await other.close();
    expect(await digestState(forked.dataSource)).toBe(await digestState(clean.dataSource));
  }

  it.each([1, 4, 31])('ends as if it had never had the %d blocks that it left', async (depth) => {
    const fork = forkAt(depth);
    expect(fork.abandoned).toHaveLength(depth);
    node.add([...fork.trunk, ...fork.abandoned]);
    const app = start();
    await app.waitForSlot(tipOf(fork.abandoned));
    node.switchBranch(tipOf(fork.trunk), fork.survivors);
    await expectOnlySurvivors(app, fork);
    expect(app.said).toContain(`"depth":${depth}`);
  });

  it('while Fresnel is away, ends the same', async () => {
    const fork = forkAt(9);
    node.add([...fork.trunk, ...fork.abandoned]);
    const before = start();
    await before.waitForSlot(tipOf(fork.abandoned));
    await before.end('SIGKILL');
    node.switchBranch(tipOf(fork.trunk), fork.survivors);
    await expectOnlySurvivors(start(), fork);
  });

  it('while Fresnel is killed again and again, ends the same', async () => {
    const fork = forkAt(20);
    node.add([...fork.trunk, ...fork.abandoned.slice(0, 1)]);
    const first = start();
    await first.waitForSlot(tipOf(fork.trunk));
    node.add(fork.abandoned);
    await sleep(40);
    await first.end('SIGKILL');
    node.switchBranch(tipOf(fork.trunk), fork.survivors);
    for (const milliseconds of [5, 20, 50, 90, 140]) {
      const app = start();
      await app.waitFor(/ingest starts/);
      await sleep(milliseconds);
      await app.end('SIGKILL');
    }
    await expectOnlySurvivors(start(), fork);
  });

  it('further back than it can be taken back ends Fresnel loudly', async () => {
    const fork = forkAt(32);
    node.add([...fork.trunk, ...fork.abandoned]);
    const app = start();
    await app.waitForSlot(tipOf(fork.abandoned));
    node.switchBranch(tipOf(fork.trunk), fork.survivors);
    const { code, stderr } = await app.whenEnded();
    expect(code).toBe(1);
    expect(stderr).toMatch(/descends from none of the 32 blocks that are held.*index anew/);
  });
});
