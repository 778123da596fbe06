import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateLedger, LedgerOracle } from '@fresnel/ledger-generator';
import {
  checkAgainstOracle,
  createTestDatabase,
  digestState,
  FakeNode,
  FresnelProcess,
  type Settings,
  type TestDatabase,
} from '@fresnel/testing';

const SLOTS = 120;
const HISTORY = 20;
/** Processes that are killed while blocks come. */
const KILLS = 10;

const START_MS = 120_000;

describe('the stack', () => {
  const blocks = [...generateLedger({ seed: 23, slots: SLOTS })];
  const tip = blocks[blocks.length - 1].slot;
  const oracle = new LedgerOracle();
  let folder: string;
  let node: FakeNode;
  let stacked: TestDatabase;
  let single: TestDatabase;

  beforeAll(async () => {
    for (const block of blocks) oracle.apply(block);
    folder = mkdtempSync(join(tmpdir(), 'fresnel-stack-'));
    const trees = ['--trees', join(folder, 'trees.json')];
    await FresnelProcess.run(['generate', '--out', join(folder, 'unused.ndjson'), '--slots', '1', ...trees]);
    node = await FakeNode.start(blocks.slice(0, HISTORY));
    stacked = await createTestDatabase({ migrated: false });
    single = await createTestDatabase();
  });
  afterAll(async () => {
    await node.close();
    await stacked.drop();
    await single.drop();
    rmSync(folder, { recursive: true });
  });

  const settingsFor = (database: TestDatabase): Settings => ({
    SOLANA_RPC_URL: node.url,
    DATABASE_URL: database.url,
    TREES_FILE: join(folder, 'trees.json'),
    INGEST_START_SLOT: String(blocks[0].slot),
    INGEST_POLL_INTERVAL_MS: '50',
    FRESNEL_DATA_DIR: folder,
  });
  const start = () => FresnelProcess.start([], settingsFor(stacked), 'stack');
  /** Of processes that were started and may be running still. */
  const pidsOf = ({ said }: FresnelProcess) => [...said.matchAll(/"pid":(\d+)/g)].map(([, pid]) => Number(pid));

  it('through kills of any of its processes loses nothing and says what the oracle says', async () => {
    const stack = start();
    const url = await stack.url();
    await stack.waitForSlot(blocks[HISTORY - 1].slot, START_MS);
    const share = Math.ceil((blocks.length - HISTORY) / KILLS);
    for (let kill = 0; kill < KILLS; kill++) {
      const from = HISTORY + kill * share;
      for (const block of blocks.slice(from, from + share)) {
        node.add([block]);
        await sleep(20);
      }
      const pids = pidsOf(stack);
      killIfRunning(pids[Math.floor(Math.random() * pids.length)]);
    }
    await stack.waitForSlot(tip, START_MS);
    expect(await untilSettled(() => checkAgainstOracle(url, oracle))).toEqual([]);
    expect((await stack.end('SIGTERM')).code).toBe(0);
  }, 300_000);

  it('ends in the same tables as one process', async () => {
    const settings = settingsFor(single);
    const app = FresnelProcess.start([], settings);
    await app.waitForSlot(tip);
    expect((await app.end('SIGTERM')).code).toBe(0);
    expect(await digestState(stacked.dataSource)).toBe(await digestState(single.dataSource));
  });

  it('goes on where it was, and builds its trees anew out of Kafka', async () => {
    const before = node.asked('getBlock').length;
    const stack = start();
    const url = await stack.url();
    await stack.waitForSlot(tip, START_MS);
    expect(await untilSettled(() => checkAgainstOracle(url, oracle))).toEqual([]);
    expect((await stack.end('SIGTERM')).code).toBe(0);
    const fetched = node.asked('getBlock').slice(before);
    expect(fetched.filter(({ params: [slot] }) => Number(slot) < tip)).toEqual([]);
  }, 300_000);
});

function killIfRunning(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It was killed before.
  }
}

/** Asks until nothing differs, for as long as a killed process takes to be back. @returns what differs in the end */
async function untilSettled(check: () => Promise<{ differences: unknown[] }>): Promise<unknown[]> {
  const startedAt = Date.now();
  for (;;) {
    const { differences } = await check();
    if (differences.length === 0 || Date.now() - startedAt > 60_000) return differences;
    await sleep(500);
  }
}
