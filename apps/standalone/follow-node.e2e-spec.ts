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
  postJson,
  type Settings,
  type TestDatabase,
} from '@fresnel/testing';

const SEED = 11;
const SLOTS = 120;
/** So many blocks are there when the index begins; the others come while it is killed again and again. */
const HISTORY = 30;
const KILLS = 6;

describe('following a node', () => {
  const blocks = [...generateLedger({ seed: SEED, slots: SLOTS })];
  const tip = blocks[blocks.length - 1].slot;
  const oracle = new LedgerOracle();
  let folder: string;
  let node: FakeNode;
  let interrupted: TestDatabase;
  let clean: TestDatabase;

  beforeAll(async () => {
    for (const block of blocks) oracle.apply(block);
    folder = mkdtempSync(join(tmpdir(), 'fresnel-node-'));
    const trees = ['--trees', join(folder, 'trees.json')];
    await FresnelProcess.run(['generate', '--out', join(folder, 'unused.ndjson'), '--slots', '1', ...trees]);
    node = await FakeNode.start(blocks.slice(0, HISTORY));
    interrupted = await createTestDatabase();
    clean = await createTestDatabase();
  });
  afterAll(async () => {
    await node.close();
    await interrupted.drop();
    await clean.drop();
    rmSync(folder, { recursive: true });
  });

  const settingsFor = (database: TestDatabase): Settings => ({
    SOLANA_RPC_URL: node.url,
    DATABASE_URL: database.url,
    TREES_FILE: join(folder, 'trees.json'),
    INGEST_START_SLOT: String(blocks[0].slot),
    INGEST_POLL_INTERVAL_MS: '20',
  });

  it('through kills at any moment loses nothing and says what the oracle says', async () => {
    const share = Math.ceil((blocks.length - HISTORY) / KILLS);
    for (let kill = 0; kill < KILLS; kill++) {
      const app = FresnelProcess.start([], settingsFor(interrupted));
      await app.url();
      const from = HISTORY + kill * share;
      for (const block of blocks.slice(from, from + share)) {
        node.add([block]);
        await sleep(5);
      }
      await app.end('SIGKILL');
    }
    const last = FresnelProcess.start([], settingsFor(interrupted));
    await last.waitForSlot(tip);
    const { questions, differences } = await checkAgainstOracle(await last.url(), oracle);
    expect(differences).toEqual([]);
    expect(questions).toBeGreaterThan(1_000);
    expect((await last.end('SIGTERM')).code).toBe(0);
  });

  it('ends where a run without interruption ends', async () => {
    const app = FresnelProcess.start([], settingsFor(clean));
    await app.waitForSlot(tip);
    expect((await app.end('SIGTERM')).code).toBe(0);
    expect(await digestState(interrupted.dataSource)).toBe(await digestState(clean.dataSource));
  });

  it('does not fetch again what is indexed', async () => {
    const before = node.asked('getBlock').length;
    const app = FresnelProcess.start([], settingsFor(clean));
    await app.waitForSlot(tip);
    const health = { jsonrpc: '2.0', id: 1, method: 'getIndexerHealth', params: [] };
    expect((await postJson(await app.url(), health)).body).toMatchObject({ result: 'ok' });
    await app.end('SIGTERM');
    const fetched = node.asked('getBlock').slice(before);
    expect(fetched.filter(({ params: [slot] }) => Number(slot) < tip)).toEqual([]);
  });

  it('refuses a node of another chain', async () => {
    node.genesisHash = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG';
    const app = FresnelProcess.start([], settingsFor(clean));
    await app.waitFor(/choose another FRESNEL_DATA_DIR or DATABASE_URL/);
    expect((await app.whenEnded()).code).toBe(1);
  });
});
