import { type TreeHead } from '@fresnel/domain/trees';
import { Opened } from '@fresnel/testing/generic';
import { addTreeAccounts, FakeGtfa, inSlots, naming, readHistoryLedger } from '@fresnel/testing/history';
import { checkAgainstOracle } from '@fresnel/testing/ledger';
import { type Environment, FresnelProcess, LiveLedger } from '@fresnel/testing/stack';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';

const SEED = 17;
const SLOTS = 240;
const DISTANCE = 40;

describe('an index that starts from history', () => {
  const opened = new Opened();
  let ledger: LiveLedger;
  let provider: FakeGtfa;
  let heads: TreeHead[];

  beforeAll(async () => {
    ledger = opened.add(await LiveLedger.open({ seed: SEED, slots: SLOTS }, Infinity));
    provider = await FakeGtfa.start(readHistoryLedger(ledger.revealed));
    opened.add(provider);
    heads = await addTreeAccounts(ledger);
  });
  afterAll(() => opened.close());

  const env = (): Environment => {
    const { node, revealed } = ledger;
    return { SOLANA_RPC_URL: node.url, INGEST_START_SLOT: String(revealed[0].slot), INGEST_POLL_INTERVAL_MS: '50' };
  };

  it('gives the same answers, and is proved complete', async () => {
    const database = await createTestDatabase();
    const history = {
      HISTORY_URL: provider.url,
      HISTORY_ANCHOR_DISTANCE: String(DISTANCE),
      DATABASE_URL: database.url,
    };
    ledger.node.requests.length = 0;
    const backfill = FresnelProcess.start(['backfill', '--json'], { ...env(), ...history });
    const { code, stdout, stderr } = await backfill.exited();
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ findings: [] });
    const fetched = ledger.node.requestsOf('getBlock').map(({ params: [slot] }) => Number(slot));
    expect(fetched.filter((slot) => slot < ledger.tip - DISTANCE - 1)).toEqual([]);
    const app = FresnelProcess.start([], { ...env(), ...history });
    await app.waitForSlot(ledger.tip);
    const { questions, differences } = await checkAgainstOracle(await app.url(), ledger.oracle);
    expect(differences).toEqual([]);
    expect(questions).toBeGreaterThan(1_000);
    await app.end('SIGTERM');
    await database.drop();
  });

  describe('from which transactions are withheld', () => {
    let database: TestDatabase;
    let other: FakeGtfa;
    beforeAll(async () => {
      other = await FakeGtfa.start(readHistoryLedger(ledger.revealed));
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
      await app.waitForSlot(ledger.tip);
      const { differences } = await checkAgainstOracle(await app.url(), ledger.oracle);
      expect(differences).toEqual([]);
      await app.end('SIGTERM');
    });
  });
});
