import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatTreesFile } from '@fresnel/adapters/chain';
import { PostgresTreeReads } from '@fresnel/adapters/tree-store';
import { LIVE_PROGRAMS, TransactionParser } from '@fresnel/domain/events';
import { type Hash, keyOf, parsePubkey, toSlot } from '@fresnel/domain/primitives';
import { type TreeHead, type TreeInfo } from '@fresnel/domain/trees';
import { generatedTrees, generateLedger, LedgerOracle } from '@fresnel/ledger-generator';
import { encodeNullifierQueueAccount, encodeQueueAccount, encodeTreeAccount, FakeNode } from '@fresnel/testing/chain';
import { byFaultForm, eventually } from '@fresnel/testing/generic';
import { FakeGtfa, FakePortal, inSlots, naming, readHistoryLedger, type Withheld } from '@fresnel/testing/history';
import { checkAgainstOracle } from '@fresnel/testing/ledger';
import { type Environment, FresnelProcess } from '@fresnel/testing/stack';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';

const SEED = 17;
const SLOTS = 240;
const DISTANCE = 40;
const OWNER = parsePubkey('24rt4RgeyjUCWGS2eF7L7gyNMuz6JWdqYpAvb1KRoHxs');

/** V1 accounts of a tree that are spent, and whose leaves are not nullified yet. A page has 16 leaves. */
const WAITING = `
  SELECT a.hash FROM spends s JOIN accounts a ON a.hash = s.hash JOIN trees t ON t.id = a.tree_id
  JOIN state_tree_pages p ON p.tree_digest = key_digest(t.tree) AND p.page = a.leaf_index >> 4
  WHERE t.tree = $1 AND substr(p.nodes, 1 + 32 * (a.leaf_index & 15)::integer, 32) = a.hash`;

/** As a node without the list of the accounts of a program. */
const REFUSED = { method: 'getProgramAccounts', times: Infinity };

const parser = new TransactionParser(LIVE_PROGRAMS);

/** The hashes of the V1 accounts that a transaction spends, if it does nothing else; else none. */
function onlySpends(json: string): Hash[] {
  const events = parser.parse(json)?.events ?? [];
  const isOnly = events.every(
    (event) =>
      event.kind === 'transition' &&
      event.outputs.length + event.newAddresses.length === 0 &&
      event.inputs.every(({ nullification }) => !nullification),
  );
  return isOnly
    ? events.flatMap((event) => (event.kind === 'transition' ? event.inputs.map(({ hash }) => hash) : []))
    : [];
}

describe('an index that starts from history', () => {
  const blocks = [...generateLedger({ seed: SEED, slots: SLOTS })];
  const first = blocks[0].slot;
  const tip = blocks[blocks.length - 1].slot;
  const oracle = new LedgerOracle();
  let node: FakeNode;
  let provider: FakeGtfa;
  let dense: TestDatabase;
  let heads: TreeHead[];
  /** Spent accounts that wait in the nullifier queues of the chain, by `keyOf`. */
  const waiting = new Set<string>();
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
    const reads = new PostgresTreeReads(dense.dataSource.manager);
    await eventually('the trees are stored up to the tip', async () => {
      const partitions = [...(await reads.listPartitions()).values()];
      return partitions.length > 0 && partitions.every(({ slot }) => slot !== null && slot >= tip);
    });
    await app.end('SIGTERM');
    heads = await reads.listHeads();
    for (const head of heads) {
      const { info, seq, nextIndex, queueEnd, inputQueueEnd, root } = head;
      const ends = { queueEnd: info.type === 'stateV2' ? inputQueueEnd : queueEnd, inputQueueEnd };
      const observed = { slot: toSlot(tip), seq, nextIndex: BigInt(nextIndex), ...ends, root };
      node.accounts.set(info.tree, {
        owner: LIVE_PROGRAMS.accountCompression,
        data: encodeTreeAccount({ ...info, owner: OWNER, observed }),
      });
      if (keyOf(info.queue) === keyOf(info.tree)) continue;
      node.accounts.set(info.queue, { owner: LIVE_PROGRAMS.accountCompression, data: await queueOf(info) });
    }
  });
  afterAll(async () => {
    await node.close();
    await provider.provider.close();
    await dense.drop();
    rmSync(folder, { recursive: true });
  });

  async function queueOf(info: TreeInfo): Promise<Buffer> {
    if (info.type !== 'stateV1') return encodeQueueAccount(info);
    const rows = await dense.dataSource.query<{ hash: Hash }[]>(WAITING, [info.tree]);
    for (const { hash } of rows) waiting.add(keyOf(hash));
    return encodeNullifierQueueAccount(
      info,
      rows.map(({ hash }) => hash),
    );
  }

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
      const nothing = () => false;
      const knobs = { endsAt: Infinity, matchesStaticKeysOnly: false, givesEqualIndexes: false };
      Object.assign(provider, { withholds: nothing, lacksMeta: nothing, ...knobs });
      await database.drop();
    });
    afterAll(() => other.provider.close());

    const history = (...urls: string[]) => ({
      ...env(),
      HISTORY_URL: urls.join(),
      HISTORY_ANCHOR_DISTANCE: String(DISTANCE),
    });
    const backfill = async (...urls: string[]) => {
      const variables = { ...history(...urls), DATABASE_URL: database.url };
      const { code, stdout } = await FresnelProcess.start(['backfill', '--json'], variables).exited();
      return { code, ...(JSON.parse(stdout) as { findings: { tree: string; reason: string }[] }) };
    };

    /** A transaction up to the anchor which does nothing but spend, and whether the account waits in the queue. */
    const aSpend = (isWaiting: boolean): Withheld => {
      const found = readHistoryLedger(blocks)
        .filter(({ slot }) => slot <= tip - DISTANCE)
        .flatMap(({ transactions }) => transactions)
        .find(({ json }) => onlySpends(json).some((hash) => waiting.has(keyOf(hash)) === isWaiting));
      if (!found) throw new Error('the ledger has no such spend');
      return ({ signature }) => signature === found.signature;
    };
    const ofTree = (type: string) => naming(heads.filter(({ info }) => info.type === type)[0].info.tree);

    const expectAnswers = async () => {
      const app = FresnelProcess.start([], { ...env(), DATABASE_URL: database.url });
      await app.waitForSlot(tip);
      const { differences } = await checkAgainstOracle(await app.url(), oracle);
      expect(differences).toEqual([]);
      await app.end('SIGTERM');
    };

    type Case = [string, string, () => Partial<FakeGtfa>];
    const SHORT: Case[] = [
      ['the transactions of some slots', 'operations-missing', () => ({ withholds: inSlots(1_060, 1_063) })],
      ['a whole tree', 'tree-missing', () => ({ withholds: ofTree('stateV1') })],
      ['a spend that is nullified', 'spend-missing', () => ({ withholds: aSpend(false) })],
    ];
    const LONG: Case[] = [
      ['a spend that waits to be nullified', 'spend-missing', () => ({ withholds: aSpend(true) })],
      ['the meta of a transaction', 'transaction-lost', () => ({ lacksMeta: aSpend(false) })],
      ['the meta of all transactions of some slots', 'transaction-lost', () => ({ lacksMeta: inSlots(1_060, 1_061) })],
      ['all after a slot', 'operations-missing', () => ({ endsAt: 1_150 })],
      ['what comes from lookup tables', 'operations-missing', () => ({ matchesStaticKeysOnly: true })],
    ];
    const byLength = byFaultForm({ short: it.skip, long: it });

    it('needs no order of the transactions in slots', async () => {
      provider.givesEqualIndexes = true;
      expect(await backfill(provider.url)).toMatchObject({ code: 0, findings: [] });
      await expectAnswers();
    });

    it('does not take a list of trees that the node refuses for an empty one', async () => {
      node.fail({ kind: 'error', code: -32601, message: 'Method not found' }, REFUSED);
      provider.withholds = ofTree('stateV1');
      const variables = { ...history(provider.url), DATABASE_URL: database.url };
      const { code, stdout, stderr } = await FresnelProcess.start(['backfill'], variables).exited();
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toContain('Add a node with getProgramAccounts to SOLANA_RPC_URL');
      const status = await FresnelProcess.start(['status'], variables).exited();
      expect(status.stdout).toContain('Add a node with getProgramAccounts to SOLANA_RPC_URL');
      node.heal();
      const lacking = await backfill(provider.url);
      expect(lacking.code).toBe(3);
      expect(lacking.findings.map(({ reason }) => reason)).toContain('tree-missing');
    });

    byLength('names a transaction in two slots, and asks a source with links which one has a block', async () => {
      const ledger = readHistoryLedger(blocks);
      const slots = new Set(ledger.map(({ slot }) => slot));
      const dead = [...slots].map((slot) => slot + 1).find((slot) => slot > 1_080 && !slots.has(slot)) ?? 0;
      const later = ledger.filter(({ slot }) => slot > dead).flatMap(({ transactions }) => transactions);
      const repeated = later.filter(({ json }) => parser.parse(json)?.events.length).slice(0, 1);
      // Another one of that block never happened on the chain.
      const [, foreign] = readHistoryLedger([...generateLedger({ seed: SEED + 1, slots: 60 })])
        .flatMap(({ transactions }) => transactions)
        .filter(({ json }) => parser.parse(json)?.events.length);
      const block = {
        ...ledger[0],
        slot: dead,
        transactions: [...repeated, foreign].map((each) => ({ ...each, slot: dead })),
      };
      const withDead = await FakeGtfa.start([...ledger, block]);
      const portal = await FakePortal.start(ledger);
      const lacking = await backfill(withDead.url);
      expect(lacking.code).toBe(3);
      expect(lacking.findings.map((finding) => finding.reason)).toContain('signature-in-two-slots');
      expect(await backfill(withDead.url, `sqd+${portal.url}`)).toMatchObject({ code: 0, findings: [] });
      await expectAnswers();
      await Promise.all([withDead.close(), portal.close()]);
    });

    it.each(byFaultForm({ short: SHORT, long: [...SHORT, ...LONG] }))(
      'names %s, and fills it in from a second source',
      async (_, reason, knobs) => {
        Object.assign(provider, knobs());
        const lacking = await backfill(provider.url);
        expect(lacking.code).toBe(3);
        expect(lacking.findings.map((finding) => finding.reason)).toContain(reason);
        const healed = await backfill(provider.url, other.url);
        expect(healed).toMatchObject({ code: 0, findings: [] });
        await expectAnswers();
      },
    );
  });
});
