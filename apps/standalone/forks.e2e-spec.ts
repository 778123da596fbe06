import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type GeneratedBlock, generateLedger, LedgerOracle } from '@fresnel/ledger-generator';
import { FakeNode } from '@fresnel/testing/chain';
import { checkAgainstOracle } from '@fresnel/testing/ledger';
import { FresnelProcess, type Environment } from '@fresnel/testing/stack';
import { createTestDatabase, digestState, type TestDatabase } from '@fresnel/testing/store';

const SEED = 31;
/** Number of blocks that both branches share. */
const SHARED = 40;
/** How many more blocks the new branch has than the old one. */
const EXTRA = 12;

interface Fork {
  shared: GeneratedBlock[];
  orphaned: GeneratedBlock[];
  adopted: GeneratedBlock[];
}

/** A ledger whose last blocks are orphaned, and the blocks of the new branch. */
function forkAt(depth: number): Fork {
  const blocks = [...generateLedger({ seed: SEED, slots: SHARED + 2 * depth + EXTRA })];
  const [shared, orphaned] = [blocks.slice(0, SHARED), blocks.slice(SHARED, SHARED + depth)];
  const branch = { fromSlot: orphaned[0].slot, seed: SEED + depth };
  const other = [...generateLedger({ seed: SEED, slots: SHARED + 2 * depth + EXTRA, branch })];
  return { shared, orphaned, adopted: other.slice(SHARED) };
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

  const envFor = (database: TestDatabase, from: FakeNode): Environment => ({
    SOLANA_RPC_URL: from.url,
    DATABASE_URL: database.url,
    TREES_FILE: join(folder, 'trees.json'),
    INGEST_START_SLOT: '1000',
    INGEST_POLL_INTERVAL_MS: '20',
  });
  const start = () => FresnelProcess.start([], envFor(forked, node));

  /** Compares the answers with the oracle's, and the tables with those of a run without a fork. */
  async function expectNewBranchOnly(app: FresnelProcess, { shared, adopted }: Fork): Promise<void> {
    const oracle = new LedgerOracle();
    for (const block of [...shared, ...adopted]) oracle.apply(block);
    await app.waitForSlot(tipOf(adopted));
    const { questions, differences } = await checkAgainstOracle(await app.url(), oracle);
    expect(differences).toEqual([]);
    expect(questions).toBeGreaterThan(300);
    expect((await app.end('SIGTERM')).code).toBe(0);
    const other = await FakeNode.start([...shared, ...adopted]);
    const unforked = FresnelProcess.start([], envFor(clean, other));
    await unforked.waitForSlot(tipOf(adopted));
    expect((await unforked.end('SIGTERM')).code).toBe(0);
    await other.close();
    expect(await digestState(forked.dataSource)).toBe(await digestState(clean.dataSource));
  }

  it.each([1, 4, 31])('is followed without a trace of %d orphaned blocks', async (depth) => {
    const fork = forkAt(depth);
    expect(fork.orphaned).toHaveLength(depth);
    node.add([...fork.shared, ...fork.orphaned]);
    const app = start();
    await app.waitForSlot(tipOf(fork.orphaned));
    node.switchBranch(tipOf(fork.shared), fork.adopted);
    await expectNewBranchOnly(app, fork);
    expect(app.output).toContain(`"depth":${depth}`);
  });

  it('is followed if it forked while Fresnel was not running', async () => {
    const fork = forkAt(9);
    node.add([...fork.shared, ...fork.orphaned]);
    const before = start();
    await before.waitForSlot(tipOf(fork.orphaned));
    await before.end('SIGKILL');
    node.switchBranch(tipOf(fork.shared), fork.adopted);
    await expectNewBranchOnly(start(), fork);
  });

  it('is followed if Fresnel is killed repeatedly meanwhile', async () => {
    const fork = forkAt(20);
    node.add([...fork.shared, ...fork.orphaned.slice(0, 1)]);
    const first = start();
    await first.waitForSlot(tipOf(fork.shared));
    node.add(fork.orphaned);
    await sleep(40);
    await first.end('SIGKILL');
    node.switchBranch(tipOf(fork.shared), fork.adopted);
    for (const milliseconds of [5, 20, 50, 90, 140]) {
      const app = start();
      await app.waitFor(/ingest starts/);
      await sleep(milliseconds);
      await app.end('SIGKILL');
    }
    await expectNewBranchOnly(start(), fork);
  });

  it('ends Fresnel with an error if the fork is too deep to revert', async () => {
    const fork = forkAt(32);
    node.add([...fork.shared, ...fork.orphaned]);
    const app = start();
    await app.waitForSlot(tipOf(fork.orphaned));
    node.switchBranch(tipOf(fork.shared), fork.adopted);
    const { code, stderr } = await app.exited();
    expect(code).toBe(1);
    expect(stderr).toMatch(/descends from none of the 32 newest published blocks.*rebuild the index/);
  });
});
