import { eventually, Opened } from '@fresnel/testing/generic';
import { addTreeAccounts, FakeGtfa, inSlots, readHistoryLedger } from '@fresnel/testing/history';
import { callRpc, FresnelProcess, LiveLedger, ServicesUnderTest } from '@fresnel/testing/stack';

const DISTANCE = 40;
/** Small, so that history takes many answers. */
const TRANSACTIONS_PER_ANSWER = 8;
/** So many answers are given before the first ingest is killed. */
const ANSWERS = 6;
const STATE_ERROR = -32000;

describe('services whose index starts from history', () => {
  const opened = new Opened();
  let ledger: LiveLedger;
  let gtfa: FakeGtfa;
  beforeAll(async () => {
    ledger = opened.add(await LiveLedger.open({ seed: 31, slots: 140 }, Infinity));
    gtfa = opened.add(await FakeGtfa.start(readHistoryLedger(ledger.revealed)));
    await addTreeAccounts(ledger);
    ledger.node.requests.length = 0;
  });
  afterAll(() => opened.close());

  it('lose nothing to a kill and a second ingest, and give proofs once history is compared with the chain', async () => {
    const { node, tip, oracle } = ledger;
    const { provider } = gtfa;
    gtfa.pageSize = TRANSACTIONS_PER_ANSWER;
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
    await provider.waitForRequests(ANSWERS + 1);
    await eventually('a part of history is indexed', async () => (await indexedSlot()) > ledger.revealed[0].slot);
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
    expect((await askProof()).code).toBe(STATE_ERROR);
    compare.open();
    expect(await services.differences()).toEqual([]);
    expect((await askProof()).code).toBeUndefined();
    await second.end('SIGTERM');
    const fetched = node.requestsOf('getBlock').map(({ params: [slot] }) => Number(slot));
    expect(fetched.filter((slot) => slot < tip - DISTANCE)).toEqual([]);
  });

  it('fill in what a source has withheld when ingest starts with another one', async () => {
    gtfa.pageSize = Infinity;
    gtfa.withholds = inSlots(1_040, 1_043);
    const other = opened.add(await FakeGtfa.start(readHistoryLedger(ledger.revealed)));
    const env = { HISTORY_URL: gtfa.url, HISTORY_ANCHOR_DISTANCE: String(DISTANCE) };
    const services = opened.add(await ServicesUnderTest.launch(ledger, undefined, env));
    await services.writer('ingest').waitFor(/history lacks something of a tree/);
    await services.stopWriters(['ingest']);
    services.env.HISTORY_URL = `${gtfa.url},${other.url}`;
    services.startWriters();
    await services.writer('ingest').waitFor(/history is complete/);
    expect(await services.differences()).toEqual([]);
  });
});

/** Something waits until it is opened. */
class Gate {
  open: () => void = () => undefined;
  readonly opened = new Promise<void>((resolve) => (this.open = resolve));
}
