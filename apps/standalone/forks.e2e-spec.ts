import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatTreesFile } from '@fresnel/adapters/chain';
import { type GeneratedBlock, generatedTrees, generateLedger, LedgerOracle } from '@fresnel/ledger-generator';
import { FakeNode } from '@fresnel/testing/chain';
import { byFaultForm } from '@fresnel/testing/generic';
import { checkAgainstOracle } from '@fresnel/testing/ledger';
import { digestCleanRun, type Environment, FresnelProcess } from '@fresnel/testing/stack';
import { createTestDatabase, digestState, type TestDatabase } from '@fresnel/testing/store';
import { FakeValidityProver } from '@fresnel/testing/validity-proofs';

const SEED = 31;
/** Number of blocks before the fork point. */
const TRUNK = 40;
/** Maximum number of orphaned blocks that can be reverted. */
const MAX_DEPTH = 31;
/** The new branch is this much longer than the orphaned one. */
const BEYOND = 12;
const LEDGER = { seed: SEED, transactionsPerSlot: 1, weights: { migrateLeaves: 5 } };
/** The services revert a fork of this depth in a suite of their own. */
const itLong = byFaultForm({ short: it.skip, long: it });

interface Fork {
  trunk: GeneratedBlock[];
  orphaned: GeneratedBlock[];
  newBranch: GeneratedBlock[];
}

/** A ledger whose last `depth` blocks are orphaned. */
function forkAt(depth: number): Fork {
  const slots = TRUNK + 2 * depth + BEYOND;
  const blocks = [...generateLedger({ ...LEDGER, slots })];
  const [trunk, orphaned] = [blocks.slice(0, TRUNK), blocks.slice(TRUNK, TRUNK + depth)];
  const branch = { fromSlot: orphaned[0].slot, seed: SEED + depth };
  const other = [...generateLedger({ ...LEDGER, slots, branch })];
  return { trunk, orphaned, newBranch: other.slice(TRUNK) };
}

const tipOf = (blocks: readonly GeneratedBlock[]) => blocks[blocks.length - 1].slot;

describe('a chain that forks', () => {
  let folder: string;
  let node: FakeNode;
  let forked: TestDatabase;
  let validityProver: FakeValidityProver;
  let apps: FresnelProcess[];
  beforeAll(async () => {
    validityProver = await FakeValidityProver.start();
    folder = mkdtempSync(join(tmpdir(), 'fresnel-forks-'));
    writeFileSync(join(folder, 'trees.json'), formatTreesFile(generatedTrees()));
  });
  afterAll(async () => {
    await validityProver.close();
    rmSync(folder, { recursive: true });
  });
  beforeEach(async () => {
    apps = [];
    node = await FakeNode.start();
    forked = await createTestDatabase();
  });
  afterEach(async () => {
    // After a failure, a process that runs would keep jest from ending.
    await Promise.all(apps.map((app) => app.end('SIGKILL')));
    await node.close();
    await forked.drop();
  });

  const env = (): Environment => ({
    SOLANA_RPC_URL: node.url,
    DATABASE_URL: forked.url,
    TREES_FILE: join(folder, 'trees.json'),
    INGEST_START_SLOT: '1000',
    INGEST_POLL_INTERVAL_MS: '50',
    VALIDITY_PROVER_URL: validityProver.url,
  });
  const start = () => {
    const app = FresnelProcess.start([], env());
    apps.push(app);
    return app;
  };

  /** Expects the answers of the oracle, and the tables of a run that never saw the orphaned blocks. */
  async function expectOnlyNewBranch(app: FresnelProcess, { trunk, newBranch }: Fork): Promise<void> {
    const blocks = [...trunk, ...newBranch];
    const oracle = new LedgerOracle();
    for (const block of blocks) oracle.apply(block);
    await app.waitForSlot(tipOf(newBranch));
    const { questions, differences } = await checkAgainstOracle(await app.url(), oracle, { validityProofs: true });
    expect(differences).toEqual([]);
    expect(questions).toBeGreaterThan(300);
    expect((await app.end('SIGTERM')).code).toBe(0);
    expect(await digestState(forked.dataSource)).toBe(await digestCleanRun(blocks));
  }

  itLong(`ends in the same state as without the ${MAX_DEPTH} orphaned blocks`, async () => {
    const fork = forkAt(MAX_DEPTH);
    node.add([...fork.trunk, ...fork.orphaned]);
    const app = start();
    await app.waitForSlot(tipOf(fork.orphaned));
    node.switchBranch(tipOf(fork.trunk), fork.newBranch);
    await expectOnlyNewBranch(app, fork);
    expect(app.output).toContain(`"depth":${MAX_DEPTH}`);
  });

  it('ends in the same state if it forks while Fresnel is down, which is killed again during the revert', async () => {
    const fork = forkAt(20);
    node.add([...fork.trunk, ...fork.orphaned]);
    const before = start();
    await before.waitForSlot(tipOf(fork.orphaned));
    await before.end('SIGKILL');
    node.switchBranch(tipOf(fork.trunk), fork.newBranch);
    const reverting = start();
    await reverting.waitFor(/the chain forked: reverting orphaned blocks/);
    await reverting.end('SIGKILL');
    await expectOnlyNewBranch(start(), fork);
  });

  it('ends the process with an error if the fork is deeper than the maximum', async () => {
    const fork = forkAt(MAX_DEPTH + 1);
    node.add([...fork.trunk, ...fork.orphaned]);
    const app = start();
    await app.waitForSlot(tipOf(fork.orphaned));
    node.switchBranch(tipOf(fork.trunk), fork.newBranch);
    const { code, stderr } = await app.exited();
    expect(code).toBe(1);
    expect(stderr).toMatch(/descends from none of the 32 newest published blocks.*rebuild the index/);
  });
});
