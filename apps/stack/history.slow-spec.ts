import { parsePubkey } from '@fresnel/domain/primitives';
import { DEFAULT_ADDRESS_TREE } from '@fresnel/ledger-generator';
import { eventually, Opened } from '@fresnel/testing/generic';
import { addTreeAccounts, FakeGtfa, inSlots, naming, readHistoryLedger, type Withheld } from '@fresnel/testing/history';
import { callRpc, FresnelProcess, LiveLedger, ServicesUnderTest } from '@fresnel/testing/stack';

const ADDRESS_TREE = parsePubkey(DEFAULT_ADDRESS_TREE);
/** A block in ten slots: history is published when the hundreds of slots after it are known. */
const LEDGER = { seed: 31, slots: 1_400, skippedShare: 0.9 };
const DISTANCE = 400;
/** Small, so that history takes many answers. */
const TRANSACTIONS_PER_ANSWER = 8;
/** A third of history remains after so many answers. */
const ANSWERS = 36;
/** An update of an address tree, near the end of history. */
const WITHHELD: Withheld = (each) => inSlots(1_858, 1_858)(each) && naming(ADDRESS_TREE)(each);
const STATE_ERROR = -32000;
const INTERNAL_ERROR = -32603;

describe('services whose index starts from history', () => {
  const opened = new Opened();
  let ledger: LiveLedger;
  let gtfa: FakeGtfa;
  let other: FakeGtfa;
  beforeAll(async () => {
    ledger = opened.add(await LiveLedger.open(LEDGER, Infinity));
    const blocks = readHistoryLedger(ledger.revealed);
    [gtfa, other] = [opened.add(await FakeGtfa.start(blocks)), opened.add(await FakeGtfa.start(blocks))];
    addTreeAccounts(ledger);
  });
  afterAll(() => opened.close());

  it('lose nothing to a kill and a second ingest, give proofs once history is compared, and fill it in', async () => {
    const { node, tip, oracle } = ledger;
    const { provider } = gtfa;
    [gtfa.pageSize, gtfa.withholds] = [TRANSACTIONS_PER_ANSWER, WITHHELD];
    const [hash] = oracle.provableAccounts();
    const askProof = () => callRpc(services.url, { method: 'getCompressedAccountProofV2', params: { hash } });
    const indexedSlot = async () => {
      const { result } = await callRpc(services.url, { method: 'getIndexerSlot', params: [] });
      return typeof result === 'number' ? result : 0;
    };

    const env = { HISTORY_URL: gtfa.url, HISTORY_ANCHOR_DISTANCE: String(DISTANCE) };
    provider.fail({ until: Promise.resolve() }, ANSWERS);
    provider.fail({ until: new Promise(() => undefined) });
    const services = opened.add(await ServicesUnderTest.launch(ledger, undefined, env));
    await eventually('a part of history is indexed', async () => (await indexedSlot()) > ledger.revealed[0].slot);
    await provider.waitForRequests(ANSWERS + 1);
    await services.writer('ingest').end('SIGKILL');
    expect(await indexedSlot()).toBeLessThan(tip - DISTANCE);

    const [start, compare] = [new Gate(), new Gate()];
    provider.fail({ until: start.opened }, 2);
    services.startWriters();
    const second = FresnelProcess.start([], services.env, 'ingest');
    await Promise.all([services.writer('ingest'), second].map((ingest) => ingest.waitFor(/"msg":"ingest starts"/)));

    node.fail({ kind: 'late', until: compare.opened }, { method: 'getProgramAccounts', times: Infinity });
    start.open();
    await services.waitForTip();
    // Trees may be behind the tables for longer than a request waits.
    let refusal = await askProof();
    while (refusal.code === INTERNAL_ERROR) refusal = await askProof();
    expect(refusal.code).toBe(STATE_ERROR);
    compare.open();
    await services.writer('ingest').waitFor(/history lacks something of a tree/);
    await Promise.all([services.stopWriters(['ingest']), second.end('SIGTERM')]);

    services.env.HISTORY_URL = `${gtfa.url},${other.url}`;
    services.startWriters();
    await services.writer('ingest').waitFor(/history is complete/);
    expect(await services.differences()).toEqual([]);
    expect((await askProof()).code).toBeUndefined();
    const fetched = node.requestsOf('getBlock').map(({ params: [slot] }) => Number(slot));
    expect(fetched.filter((slot) => slot < tip - DISTANCE)).toEqual([]);
  });
});

/** Something waits until it is opened. */
class Gate {
  open: () => void = () => undefined;
  readonly opened = new Promise<void>((resolve) => (this.open = resolve));
}
