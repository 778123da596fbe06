import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, Opened } from '@fresnel/testing/generic';
import { ProofHistory } from '@fresnel/testing/ledger';
import { listQueries, PrometheusServer } from '@fresnel/testing/monitoring';
import { callRpc, LiveLedger, readingCalls, StackUnderTest } from '@fresnel/testing/stack';

const PACE_MS = 200;
/** Long enough for several scrapes. */
const RATE_INTERVAL = '20s';
/** Metrics that only an index with a history source has: history.metrics.spec.ts has them. */
const OF_HISTORY = 'fresnel_history_';

const opened = new Opened();
const history = new ProofHistory();
let ledger: LiveLedger;
let stack: StackUnderTest;

beforeAll(async () => {
  ledger = opened.add(await LiveLedger.open({ seed: 61, slots: 3_000, transactionsPerSlot: 1 }, 40));
  const env = {
    RATE_LIMIT_ENABLED: 'true',
    RATE_LIMIT_POINTS: '1000000',
  };
  stack = opened.add(await StackUnderTest.start(ledger, { env, replicas: 'ingest=1,projector=1,prover=1,gateway=1' }));
});
afterAll(() => opened.close());

it('a Prometheus that scrapes the stack has data for every query of every panel', async () => {
  const processes = Object.entries(stack.healthPorts()).flatMap(([service, ports]) =>
    ports.map((port) => ({ service, port })),
  );
  const prometheus = opened.add(await PrometheusServer.start(processes, { groups: [] }));
  const proofs = { method: 'getMultipleNewAddressProofsV2', params: history.questions };
  let missing = listQueries(RATE_INTERVAL).filter(({ expr }) => !expr.includes(OF_HISTORY));
  expect(missing.length).toBeGreaterThan(10);
  const findMissing = async () => {
    ledger.reveal(1);
    for (const call of [...readingCalls(ledger.oracle), proofs]) await callRpc(stack.url, call);
    await sleep(PACE_MS);
    const results = await Promise.all(missing.map(({ expr }) => prometheus.query(expr)));
    missing = missing.filter((_, at) => !results[at].some(({ value: [, text] }) => Number.isFinite(Number(text))));
    return missing.length === 0;
  };
  await eventually('every query has had a result', findMissing).catch((error: unknown) => {
    expect(missing).toEqual([]);
    throw error;
  });
});
