import { LIVE_PROGRAMS, TransactionParser } from '@fresnel/domain/events';
import { keyOf, toBase58 } from '@fresnel/domain/primitives';
import { type TreeInfo } from '@fresnel/domain/trees';
import { generateLedger, type LedgerTree } from '@fresnel/ledger-generator';
import { byFaultForm, ExactJson, Opened } from '@fresnel/testing/generic';
import {
  addTreeAccounts,
  FakeGtfa,
  FakePortal,
  inSlots,
  type LedgerBlock,
  type LedgerTransaction,
  naming,
  readHistoryLedger,
  spendsOf,
  type Withheld,
} from '@fresnel/testing/history';
import { checkAgainstOracle } from '@fresnel/testing/ledger';
import { type Environment, FresnelProcess, LiveLedger } from '@fresnel/testing/stack';
import { createTestDatabase } from '@fresnel/testing/store';

const SEED = 17;
const SLOTS = 110;
const DISTANCE = 40;
/** As a node without the list of the accounts of a program. */
const REFUSED = { method: 'getProgramAccounts', times: Infinity };
const COMPLETE = /history is complete/;

const parser = new TransactionParser(LIVE_PROGRAMS);

interface Finding {
  tree: string;
  reason: string;
}

describe('an index that starts from history', () => {
  const opened = new Opened();
  let ledger: LiveLedger;
  let blocks: LedgerBlock[];
  let gtfa: FakeGtfa;
  let portal: FakePortal;
  let trees: LedgerTree[];

  beforeAll(async () => {
    ledger = opened.add(await LiveLedger.open({ seed: SEED, slots: SLOTS }, Infinity));
    blocks = readHistoryLedger(ledger.revealed);
    gtfa = opened.add(await FakeGtfa.start(blocks));
    portal = opened.add(await FakePortal.start(blocks));
    trees = ledger.oracle.trees();
    addTreeAccounts(ledger);
    ledger.node.methods.set('getTransaction', ([signature]) => {
      const found = ledger.oracle.getTransactionWithCompressionInfo(String(signature));
      return found && new ExactJson(found.transaction);
    });
  });
  beforeEach(() => {
    ledger.node.requests.length = 0;
  });
  afterAll(() => opened.close());

  const openEnv = async (): Promise<Environment> => ({
    SOLANA_RPC_URL: ledger.node.url,
    INGEST_START_SLOT: String(blocks[0].slot),
    INGEST_POLL_INTERVAL_MS: '50',
    HISTORY_ANCHOR_DISTANCE: String(DISTANCE),
    DATABASE_URL: opened.add(await createTestDatabase()).url,
  });

  /** Compares the answers of a running index, once it has the tip, and stops it. */
  async function expectAnswers(app: FresnelProcess): Promise<void> {
    await app.waitForSlot(ledger.tip);
    const { questions, differences } = await checkAgainstOracle(await app.url(), ledger.oracle);
    expect(differences).toEqual([]);
    expect(questions).toBeGreaterThan(1_000);
    await app.end('SIGTERM');
  }

  /** Runs `fresnel backfill` to its end. */
  async function backfill(env: Environment, ...urls: string[]): Promise<{ code: number | null; findings: Finding[] }> {
    const { code, stdout, stderr } = await FresnelProcess.run(['backfill', '--json'], {
      ...env,
      HISTORY_URL: urls.join(),
    });
    if (code !== 0 && code !== 3) throw new Error(stderr);
    return { code, ...(JSON.parse(stdout) as { findings: Finding[] }) };
  }

  it('reads it by itself, and gives the same answers: it needs no order of the transactions in slots', async () => {
    gtfa.givesEqualIndexes = true;
    const app = FresnelProcess.start([], { ...(await openEnv()), HISTORY_URL: gtfa.url });
    await app.waitFor(COMPLETE);
    await expectAnswers(app);
    gtfa.givesEqualIndexes = false;
    const fetched = ledger.node.requestsOf('getBlock').map(({ params: [slot] }) => Number(slot));
    expect(fetched.filter((slot) => slot < ledger.tip - DISTANCE - 1)).toEqual([]);
  });

  const whole = (type: string) => trees.filter(({ info }) => info.type === type)[0].info;

  /** A transaction up to the anchor that does nothing but spend accounts of V1 trees, or of one of them. */
  function findSpend(isWaiting: boolean, info?: TreeInfo): LedgerTransaction {
    const waiting = new Set(trees.flatMap((tree) => tree.waiting.map(keyOf)));
    const found = blocks
      .filter(({ slot }) => slot <= ledger.tip - DISTANCE)
      .flatMap(({ transactions }) => transactions)
      .filter(info ? naming(info.tree, info.queue) : () => true)
      .find((each) => spendsOf(each).some((hash) => waiting.has(keyOf(hash)) === isWaiting));
    if (!found) throw new Error('the ledger has no such spend');
    return found;
  }
  const only =
    (wanted: LedgerTransaction): Withheld =>
    ({ signature }) =>
      signature === wanted.signature;
  const treeOf = (transaction: LedgerTransaction): string => {
    const found = trees.find(({ info }) => naming(info.tree, info.queue)(transaction));
    return found ? toBase58(found.info.tree) : 'none';
  };

  it('takes it from an SQD Portal, asks another source for spends that it withholds, and the node for bytes', async () => {
    const [one, two] = trees.filter(({ info }) => info.type === 'stateV1').map(({ info }) => info);
    const spends = [only(findSpend(true, one)), only(findSpend(false, two))];
    portal.withholds = (each) => spends.some((isWithheld) => isWithheld(each));
    const HISTORY_URL = `sqd+${portal.url},${gtfa.url}`;
    const app = FresnelProcess.start([], { ...(await openEnv()), HISTORY_URL });
    for (const { tree } of [one, two]) await app.waitFor(new RegExp(`"${toBase58(tree)}","reason":"spend-missing"`));
    await app.waitFor(COMPLETE);
    await expectAnswers(app);
    portal.withholds = () => false;
    expect(ledger.node.requestsOf('getTransaction').length).toBeGreaterThan(0);
  });

  /** A block that did not become part of the chain, with a transaction that a later block has. */
  function aDeadBlock(): LedgerBlock {
    const slots = new Set(blocks.map(({ slot }) => slot));
    const dead = [...slots].map((slot) => slot + 1).find((slot) => slot > 1_040 && !slots.has(slot)) ?? 0;
    const later = blocks.filter(({ slot }) => slot > dead).flatMap(({ transactions }) => transactions);
    const hasEvents = ({ json }: LedgerTransaction) => parser.parse(json)?.events.length;
    const [repeated] = later.filter(hasEvents);
    // Another one of that block never happened on the chain.
    const [, foreign] = readHistoryLedger([...generateLedger({ seed: SEED + 1, slots: 60 })])
      .flatMap(({ transactions }) => transactions)
      .filter(hasEvents);
    return { ...blocks[0], slot: dead, transactions: [repeated, foreign].map((each) => ({ ...each, slot: dead })) };
  }

  it('does not take a list of trees that the node refuses for an empty one', async () => {
    const { node } = ledger;
    node.fail({ kind: 'error', code: -32601, message: 'Method not found' }, REFUSED);
    const liar = opened.add(await FakeGtfa.start(blocks));
    liar.withholds = naming(whole('stateV1').tree);
    const env = { ...(await openEnv()), HISTORY_URL: liar.url };
    const { code, stdout, stderr } = await FresnelProcess.run(['backfill'], env);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('Add a node with getProgramAccounts to SOLANA_RPC_URL');
    const status = await FresnelProcess.run(['status'], env);
    expect(status.stdout).toContain('Add a node with getProgramAccounts to SOLANA_RPC_URL');
    node.heal();
    const lacking = await backfill(env, liar.url);
    expect(lacking.code).toBe(3);
    expect(lacking.findings.map(({ reason }) => reason)).toContain('tree-missing');
  });

  it('names all that a source withholds and loses, and fills it in from another one', async () => {
    const env = await openEnv();
    const liar = opened.add(await FakeGtfa.start([...blocks, aDeadBlock()]));
    const { tree } = whole('addressV2');
    const spend = findSpend(true);
    const withheld = [naming(tree), inSlots(1_060, 1_063), only(spend)];
    liar.withholds = (each) => withheld.some((isWithheld) => isWithheld(each));
    liar.lacksMeta = only(findSpend(false));
    const lacking = await backfill(env, liar.url);
    expect(lacking.code).toBe(3);
    expect(lacking.findings).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ tree: toBase58(tree), reason: 'tree-missing' }),
        expect.objectContaining({ tree: toBase58(whole('stateV2').tree), reason: 'operations-missing' }),
        expect.objectContaining({ tree: treeOf(spend), reason: 'spend-missing' }),
        expect.objectContaining({ reason: 'transaction-lost' }),
        expect.objectContaining({ reason: 'signature-in-two-slots' }),
      ]),
    );
    const status = await FresnelProcess.run(['status', '--json'], env);
    expect(JSON.parse(status.stdout)).toMatchObject({ findings: lacking.findings });
    // The chain stands still, and the other source lacks a part of it too: all else is filled in.
    portal.withholds = inSlots(1_060, 1_061);
    const second = `sqd+${portal.url}`;
    const less = await backfill(env, liar.url, second);
    portal.withholds = () => false;
    expect(less.code).toBe(3);
    const reasons = new Set(less.findings.map(({ reason }) => reason));
    expect(reasons).toEqual(new Set(['operations-missing', 'spend-missing']));
    expect(await backfill(env, liar.url, second)).toMatchObject({ code: 0, findings: [] });
    await expectAnswers(FresnelProcess.start([], env));
  });

  const { each: eachLong, test: itLong } = byFaultForm({
    short: { each: it.skip.each, test: it.skip },
    long: { each: it.each, test: it },
  });
  const KINDS = { gtfa: FakeGtfa, sqd: FakePortal };
  type Kind = keyof typeof KINDS;
  const urlOf = (provider: FakeGtfa | FakePortal) =>
    provider instanceof FakePortal ? `sqd+${provider.url}` : provider.url;
  /** A transaction that does nothing but create accounts. */
  function findCreation(): LedgerTransaction {
    const found = blocks
      .filter(({ slot }) => slot > 1_050)
      .flatMap(({ transactions }) => transactions)
      .find(({ json }) => {
        const events = parser.parse(json)?.events ?? [];
        return events.length === 1 && events[0].kind === 'transition' && events[0].outputs.length > 0;
      });
    if (!found) throw new Error('the ledger has no such transaction');
    return found;
  }

  type Lie = [name: string, reason: string, knobs: () => Partial<FakeGtfa> | Partial<FakePortal>];
  const WITHHELD: Lie[] = [
    ['a transaction', 'operations-missing', () => ({ withholds: only(findCreation()) })],
    ['a spend that is nullified', 'spend-missing', () => ({ withholds: only(findSpend(false)) })],
    ['a spend that waits to be nullified', 'spend-missing', () => ({ withholds: only(findSpend(true)) })],
    ['the transactions of some slots', 'operations-missing', () => ({ withholds: inSlots(1_060, 1_063) })],
    ['all after a slot', 'operations-missing', () => ({ withholds: inSlots(1_056, Infinity) })],
    ['a whole tree', 'tree-missing', () => ({ withholds: naming(whole('stateV1').tree) })],
  ];
  const LIES: Record<Kind, Lie[]> = {
    gtfa: [
      ...WITHHELD,
      ['the meta of a transaction', 'transaction-lost', () => ({ lacksMeta: only(findSpend(false)) })],
      ['the meta of all transactions of some slots', 'transaction-lost', () => ({ lacksMeta: inSlots(1_060, 1_061) })],
      ['what comes from lookup tables', 'operations-missing', () => ({ matchesStaticKeysOnly: true })],
    ],
    sqd: [
      ...WITHHELD,
      ['the instructions of a transaction', 'transaction-lost', () => ({ withholdsInstruction: instructionsOf() })],
      ['its last instruction', 'operations-missing', () => ({ withholdsInstruction: instructionsOf(-1) })],
    ],
  };
  const instructionsOf = (start = 0): FakePortal['withholdsInstruction'] => {
    const { signature, instructions } = findCreation();
    const withheld = instructions.slice(start);
    return (instruction, transaction) => transaction.signature === signature && withheld.includes(instruction);
  };
  const PAIRS: [Kind, Kind][] = [
    ['gtfa', 'gtfa'],
    ['gtfa', 'sqd'],
    ['sqd', 'gtfa'],
  ];

  eachLong(PAIRS.flatMap(([first, second]) => LIES[first].map((lie): [Kind, Kind, ...Lie] => [first, second, ...lie])))(
    'first %s, then %s: names %s, and fills it in',
    async (first, second, _, reason, knobs) => {
      const env = await openEnv();
      const liar = opened.add(Object.assign(await KINDS[first].start(blocks), knobs()));
      const lacking = await backfill(env, urlOf(liar));
      expect(lacking.code).toBe(3);
      expect(lacking.findings.map((finding) => finding.reason)).toContain(reason);
      const honest = { gtfa, sqd: portal }[second];
      expect(await backfill(env, urlOf(liar), urlOf(honest))).toMatchObject({ code: 0, findings: [] });
      await expectAnswers(FresnelProcess.start([], env));
    },
  );

  itLong('names a transaction in two slots, until a source has the links of blocks', async () => {
    const env = await openEnv();
    const liar = opened.add(await FakeGtfa.start([...blocks, aDeadBlock()]));
    for (const urls of [[liar.url], [liar.url, gtfa.url]]) {
      const { code, findings } = await backfill(env, ...urls);
      expect(code).toBe(3);
      expect(findings.map(({ reason }) => reason)).toContain('signature-in-two-slots');
    }
    expect(await backfill(env, liar.url, gtfa.url, urlOf(portal))).toMatchObject({ code: 0, findings: [] });
    await expectAnswers(FresnelProcess.start([], env));
  });
});
