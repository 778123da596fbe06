import { byFaultForm, eventually, Opened, sendHttp } from '@fresnel/testing/generic';
import { callRpc, LiveLedger, StackUnderTest } from '@fresnel/testing/stack';

const POINTS = 1_000;
const REQUESTS = 1_500;
const REQUESTS_AT_A_TIME = 8;
const CLIENT = '192.0.2.1';

/** `shared-limits.int-spec.ts` has gateways of one process that share a Redis. */
const describeLong = byFaultForm({ short: describe.skip, long: describe });

describeLong('two gateways behind one address', () => {
  const opened = new Opened();
  let stack: StackUnderTest;

  beforeAll(async () => {
    const ledger = opened.add(await LiveLedger.open({ seed: 41, slots: 10, transactionsPerSlot: 1 }, 10));
    const replicas = 'ingest=1,projector=1,prover=1,gateway=2';
    const env = {
      GATEWAY_TRUSTED_PROXIES: '1',
      RATE_LIMIT_ENABLED: 'true',
      RATE_LIMIT_POINTS: String(POINTS),
      RATE_LIMIT_WINDOW_SECONDS: '3600',
    };
    stack = opened.add(await StackUnderTest.start(ledger, { replicas, env }));
    await eventually('both gateways answer', async () => (await callsAnswered()).length === 2);
  });
  afterAll(() => opened.close());

  /** Calls that each gateway has answered, from its metrics. */
  async function callsAnswered(): Promise<number[]> {
    const servers = stack.process.output.matchAll(/"port":(\d+),"msg":"serving health and metrics"/g);
    const pages = await Promise.all(
      [...servers].map(
        async ([, port]) => (await sendHttp(`http://127.0.0.1:${port}/metrics`, { method: 'GET' })).text,
      ),
    );
    return pages
      .filter((text) => text.includes('fresnel_gateway_calls_total'))
      .map((text) => {
        const counts = [...text.matchAll(/^fresnel_gateway_calls_total\{.*\} (\d+)$/gm)].map(([, count]) =>
          Number(count),
        );
        return counts.reduce((sum, count) => sum + count, 0);
      });
  }

  it('grant a client its points once, not once each', async () => {
    const before = await callsAnswered();
    const statuses: number[] = [];
    let sent = 0;
    const send = async () => {
      while (sent < REQUESTS) {
        sent++;
        statuses.push((await callRpc(stack.url, { method: 'nothing', params: [] }, CLIENT)).status);
      }
    };
    await Promise.all(Array.from({ length: REQUESTS_AT_A_TIME }, send));
    const countOf = (status: number) => statuses.filter((one) => one === status).length;
    console.log(`${countOf(200)} of ${REQUESTS} requests were granted, ${POINTS} is the limit`);
    expect(countOf(200) + countOf(429)).toBe(REQUESTS);
    expect(Math.abs(countOf(200) - POINTS)).toBeLessThanOrEqual(POINTS / 100);
    const after = await callsAnswered();
    for (const [at, count] of after.entries()) expect(count - before[at]).toBeGreaterThan(POINTS / 10);
  });
});
