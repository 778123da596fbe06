import { byFaultForm, Opened } from '@fresnel/testing/generic';
import { addTreeAccounts, FakeGtfa, FakePortal, type LedgerBlock, readHistoryLedger } from '@fresnel/testing/history';
import { checkAgainstOracle } from '@fresnel/testing/ledger';
import { FresnelProcess, LiveLedger } from '@fresnel/testing/stack';
import { createTestDatabase } from '@fresnel/testing/store';

/** Migrated leaves have no position: where their transactions have equal indexes, nothing tells the order of some. */
const LEDGER = { seed: 17, slots: 120, weights: { migrateLeaves: 6 } };

describe('history in which a source gives equal indexes', () => {
  const opened = new Opened();
  afterAll(() => opened.close());
  const openPortal = async (blocks: LedgerBlock[]) => `sqd+${opened.add(await FakePortal.start(blocks)).url}`;

  it.each(byFaultForm({ short: ['gtfa'], long: ['gtfa', 'sqd'] }))(
    'names what has no order then, and takes it from a second source: %s',
    async (kind) => {
      const ledger = opened.add(await LiveLedger.open(LEDGER, Infinity));
      const blocks = readHistoryLedger(ledger.revealed);
      const tied = opened.add(await FakeGtfa.start(blocks));
      const other = kind === 'sqd' ? await openPortal(blocks) : opened.add(await FakeGtfa.start(blocks)).url;
      tied.givesEqualIndexes = true;
      addTreeAccounts(ledger);
      const database = await createTestDatabase();
      const env = { ...ledger.env, DATABASE_URL: database.url, HISTORY_ANCHOR_DISTANCE: '40' };
      const backfill = async (...urls: string[]) => {
        const variables = { ...env, HISTORY_URL: urls.join() };
        const { code, stdout } = await FresnelProcess.start(['backfill', '--json'], variables).exited();
        return { code, ...(JSON.parse(stdout) as { findings: { reason: string }[] }) };
      };

      const lacking = await backfill(tied.url);
      expect(lacking.code).toBe(3);
      expect(lacking.findings.map(({ reason }) => reason)).toContain('order-unknown');
      expect(await backfill(tied.url, other)).toMatchObject({ code: 0, findings: [] });

      const app = FresnelProcess.start([], env);
      await app.waitForSlot(ledger.tip);
      const { differences } = await checkAgainstOracle(await app.url(), ledger.oracle);
      expect(differences).toEqual([]);
      await app.end('SIGTERM');
      await database.drop();
    },
  );
});
