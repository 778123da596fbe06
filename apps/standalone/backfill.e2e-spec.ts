import { Opened } from '@fresnel/testing/generic';
import { type HistoryEstimate } from '@fresnel/features/operations';
import { FakeGtfa, type LedgerBlock, readHistoryLedger } from '@fresnel/testing/history';
import { type Environment, FresnelProcess, LiveLedger } from '@fresnel/testing/stack';
import { createTestDatabase } from '@fresnel/testing/store';

const DISTANCE = 40;
/** So that the ledger takes as many slots as a chain of four days. */
const SLOTS_BETWEEN = 5_000;

describe('fresnel backfill', () => {
  const opened = new Opened();
  let ledger: LiveLedger;
  beforeAll(async () => {
    ledger = opened.add(await LiveLedger.open({ seed: 37, slots: 160 }, Infinity));
  });
  afterAll(() => opened.close());

  const envOf = (HISTORY_URL: string): Environment => ({
    SOLANA_RPC_URL: ledger.node.url,
    INGEST_START_SLOT: String(ledger.revealed[0].slot),
    INGEST_POLL_INTERVAL_MS: '50',
    HISTORY_ANCHOR_DISTANCE: String(DISTANCE),
    HISTORY_URL,
  });

  describe('with --dry-run', () => {
    let blocks: LedgerBlock[];
    let gtfa: FakeGtfa;
    beforeAll(async () => {
      blocks = spread(readHistoryLedger(ledger.revealed));
      gtfa = opened.add(await FakeGtfa.start(blocks));
    });
    beforeEach(() => {
      ledger.node.tip = blocks[blocks.length - 1].slot;
    });
    afterEach(() => {
      ledger.node.tip = ledger.tip;
    });
    const run = (...args: string[]) => FresnelProcess.run(['backfill', '--dry-run', ...args], envOf(gtfa.url));

    it('says what history needs: the truth lies within the interval', async () => {
      const { code, stdout } = await run('--json', '--sample-calls', '45', '--price-per-call', '0.5');
      expect(code).toBe(0);
      const { slots, transactions, calls, price, sample } = JSON.parse(stdout) as HistoryEstimate;
      const [from, to] = [blocks[0].slot, ledger.node.tip - DISTANCE];
      expect(slots).toEqual({ from, to });
      const inRange = blocks.filter(({ slot }) => slot <= to).flatMap((block) => block.transactions);
      const truth = inRange.filter(({ isFailed }) => !isFailed).length;
      expect(transactions.low).toBeLessThanOrEqual(truth);
      expect(transactions.high).toBeGreaterThanOrEqual(truth);
      expect(sample.calls).toBe(gtfa.provider.requests.length);
      expect(sample.windows).toBeLessThan(sample.ofWindows);
      expect(price).toBe(calls * 0.5);
      expect(gtfa.provider.requests.every(({ body }) => JSON.stringify(body).includes('"signatures"'))).toBe(true);
    });

    it('says it as text', async () => {
      const { code, stdout } = await run('--sample-calls', '2');
      expect(code).toBe(0);
      expect(stdout).toMatch(/^transactions +about [\d,]+, with 90 % probability [\d,]+ to [\d,]+$/m);
      expect(stdout).toMatch(/^price +not known: pass --price-per-call DOLLARS$/m);
      expect(stdout).toMatch(/^sample +\d of \d+ windows of 10,000 slots, \d requests$/m);
    });
  });

  it.each([[[]], [['--dry-run']]])('says that the plan of a provider does not suffice: %j', async (args) => {
    const gtfa = opened.add(await FakeGtfa.start(readHistoryLedger(ledger.revealed)));
    const database = opened.add(await createTestDatabase());
    gtfa.provider.fail({ status: 403, parts: ['{"error":"not included in the free plan"}'] }, 100);
    const env = { ...envOf(gtfa.url), DATABASE_URL: database.url };
    const { code, stderr } = await FresnelProcess.run(['backfill', ...args], env);
    expect(code).toBe(1);
    expect(stderr).toMatch(/refuses the request: .*403.*Check the URL, its key, and whether the plan includes/);
  });
});

/** The blocks at other slots, with many slots between them. */
function spread(blocks: readonly LedgerBlock[]): LedgerBlock[] {
  const first = blocks[0].slot;
  const move = (slot: number) => first + (slot - first) * SLOTS_BETWEEN;
  return blocks.map((block) => ({
    ...block,
    slot: move(block.slot),
    transactions: block.transactions.map((each) => ({ ...each, slot: move(each.slot) })),
  }));
}
