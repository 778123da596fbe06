import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatTreesFile } from '@fresnel/adapters/chain';
import { PostgresTreeReads } from '@fresnel/adapters/tree-store';
import { LIVE_PROGRAMS } from '@fresnel/domain/events';
import { keyOf, parsePubkey, toSlot } from '@fresnel/domain/primitives';
import { type TreeHead } from '@fresnel/domain/trees';
import { generatedTrees, generateLedger, LedgerOracle } from '@fresnel/ledger-generator';
import { encodeQueueAccount, encodeTreeAccount, FakeNode } from '@fresnel/testing/chain';
import { FakeGtfa, inSlots, naming, readHistoryLedger } from '@fresnel/testing/history';
import { checkAgainstOracle } from '@fresnel/testing/ledger';
import { type Environment, FresnelProcess } from '@fresnel/testing/stack';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';

const SEED = 17;
const SLOTS = 240;
const DISTANCE = 40;
const OWNER = parsePubkey('24rt4RgeyjUCWGS2eF7L7gyNMuz6JWdqYpAvb1KRoHxs');

describe('an index that starts from history', () => {
  const blocks = [...generateLedger({ seed: SEED, slots: SLOTS })];
  const first = blocks[0].slot;
  const tip = blocks[blocks.length - 1].slot;
  const oracle = new LedgerOracle();
  let node: FakeNode;
  let provider: FakeGtfa;
  let dense: TestDatabase;
  let heads: TreeHead[];
  let folder: string;

  beforeAll(async () => {
    for (const block of blocks) oracle.apply(block);
    node = await FakeNode.start(blocks);
    provider = await FakeGtfa.start(readHistoryLedger(blocks));
    dense = await createTestDatabase();
    // The accounts of the trees on the chain: what an index of all blocks computes.
    folder = mkdtempSync(join(tmpdir(), 'fresnel-history-'));
    const trees = generatedTrees().map((info) => ({ ...info, owner: OWNER }));
    writeFileSync(join(folder, 'trees.json'), formatTreesFile(trees));
    const TREES_FILE = join(folder, 'trees.json');
    const app = FresnelProcess.start([], { ...env(), DATABASE_URL: dense.url, TREES_FILE });
    await app.waitForSlot(tip);
    await app.end('SIGTERM');
    heads = await new PostgresTreeReads(dense.dataSource.manager).listHeads();
    for (const head of heads) {
      const { info, seq, nextIndex, queueEnd, inputQueueEnd, root } = head;
      const ends = { queueEnd: info.type === 'stateV2' ? inputQueueEnd : queueEnd, inputQueueEnd };
      const observed = { slot: toSlot(tip), seq, nextIndex: BigInt(nextIndex), ...ends, root };
      node.accounts.set(info.tree, {
        owner: LIVE_PROGRAMS.accountCompression,
        data: encodeTreeAccount({ ...info, owner: OWNER, observed }),
      });
      if (keyOf(info.queue) === keyOf(info.tree)) continue;
      node.accounts.set(info.queue, { owner: LIVE_PROGRAMS.accountCompression, data: encodeQueueAccount(info) });
    }
  });
  afterAll(async () => {
    await node.close();
    await provider.provider.close();
    await dense.drop();
    rmSync(folder, { recursive: true });
  });

  const env = (): Environment => ({
    SOLANA_RPC_URL: node.url,
    INGEST_START_SLOT: String(first),
    INGEST_POLL_INTERVAL_MS: '50',
  });

  it('gives the same answers, and is proved complete', async () => {
    const database = await createTestDatabase();
    const history = {
      HISTORY_URL: provider.url,
      HISTORY_ANCHOR_DISTANCE: String(DISTANCE),
      DATABASE_URL: database.url,
    };
    node.requests.length = 0;
    const backfill = FresnelProcess.start(['backfill', '--json'], { ...env(), ...history });
    const { code, stdout, stderr } = await backfill.exited();
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ findings: [] });
    const fetched = node.requestsOf('getBlock').map(({ params: [slot] }) => Number(slot));
    expect(fetched.filter((slot) => slot < tip - DISTANCE - 1)).toEqual([]);
    const app = FresnelProcess.start([], { ...env(), ...history });
    await app.waitForSlot(tip);
    const { questions, differences } = await checkAgainstOracle(await app.url(), oracle);
    expect(differences).toEqual([]);
    expect(questions).toBeGreaterThan(1_000);
    await app.end('SIGTERM');
    await database.drop();
  });

  describe('from which transactions are withheld', () => {
    let database: TestDatabase;
    let other: FakeGtfa;
    beforeAll(async () => {
      other = await FakeGtfa.start(readHistoryLedger(blocks));
    });
    beforeEach(async () => {
      database = await createTestDatabase();
    });
    afterEach(async () => {
      provider.withholds = () => false;
      await database.drop();
    });
    afterAll(() => other.provider.close());

    const backfill = async (...urls: string[]) => {
      const HISTORY_URL = urls.join();
      const variables = {
        ...env(),
        HISTORY_URL,
        HISTORY_ANCHOR_DISTANCE: String(DISTANCE),
        DATABASE_URL: database.url,
      };
      const { code, stdout } = await FresnelProcess.start(['backfill', '--json'], variables).exited();
      return { code, ...(JSON.parse(stdout) as { findings: { tree: string; reason: string }[] }) };
    };

    it.each([
      ['the transactions of some slots', 'operations-missing', () => inSlots(1_060, 1_063)],
      ['a whole tree', 'tree-missing', () => naming(heads.filter(({ info }) => info.type === 'stateV1')[0].info.tree)],
    ])('names %s, and fills it in from a second source', async (_, reason, withheld) => {
      provider.withholds = withheld();
      const lacking = await backfill(provider.url);
      expect(lacking.code).toBe(3);
      expect(lacking.findings.map((finding) => finding.reason)).toContain(reason);
      const healed = await backfill(provider.url, other.url);
      expect(healed).toMatchObject({ code: 0, findings: [] });
      const app = FresnelProcess.start([], { ...env(), DATABASE_URL: database.url });
      await app.waitForSlot(tip);
      const { differences } = await checkAgainstOracle(await app.url(), oracle);
      expect(differences).toEqual([]);
      await app.end('SIGTERM');
    });
  });
});
