import { eventually, Opened, sendHttp } from '@fresnel/testing/generic';
import { ProofHistory } from '@fresnel/testing/ledger';
import { startTestRedis, type TestRedis } from '@fresnel/testing/servers';
import {
  callRpc,
  digestCleanRun,
  LiveLedger,
  readingCalls,
  type RpcAnswer,
  StackUnderTest,
} from '@fresnel/testing/stack';
import { Redis } from 'ioredis';

jest.setTimeout(600_000);

const HISTORY = 60;
const PACE_MS = 200;
/** The gateway's timeout for a call. A call that takes much longer hangs. */
const TIMEOUT_MS = 5_000;
const HANGS_MS = TIMEOUT_MS + 10_000;
/** A client's points: more than the calls of this suite cost. */
const POINTS = 20_000;
const BATCH = 100;

describe('the stack', () => {
  const opened = new Opened();
  let ledger: LiveLedger;
  let history: ProofHistory;
  let redis: TestRedis;
  let stack: StackUnderTest;
  let clients = 0;

  beforeAll(async () => {
    ledger = opened.add(await LiveLedger.open({ seed: 31, slots: 1_500, transactionsPerSlot: 1 }, HISTORY));
    history = new ProofHistory(ledger.blocks);
    redis = opened.add(await startTestRedis());
    const env = {
      REDIS_URL: redis.url,
      GATEWAY_REQUEST_TIMEOUT_MS: String(TIMEOUT_MS),
      GATEWAY_TRUSTED_PROXIES: '1',
      RATE_LIMIT_ENABLED: 'true',
      RATE_LIMIT_POINTS: String(POINTS),
      RATE_LIMIT_WINDOW_SECONDS: '3600',
    };
    stack = opened.add(await StackUnderTest.start(ledger, { env }));
    await untilServed();
  });
  afterAll(() => opened.close());

  /** Makes a call as a new client, so that the rate limit never applies. */
  async function call(method: string, params: unknown): Promise<RpcAnswer> {
    clients++;
    const answer = await callRpc(stack.url, { method, params }, `10.0.${clients >> 8}.${clients & 255}`);
    expect(answer.durationMs).toBeLessThan(HANGS_MS);
    return answer;
  }

  /** Requests proofs. They are either correct, or refused. @returns whether they were served */
  async function areProofsServed(): Promise<boolean> {
    const { status, result, code } = await call('getMultipleNewAddressProofsV2', history.questions);
    if (status === 200) expect(history.isCorrect(result)).toBe(true);
    else expect([status, code]).toEqual([500, -32603]);
    return status === 200;
  }

  /** An inserted address never gets a new-address proof, however far the tree has been rebuilt. */
  async function requireNoWrongProof(): Promise<void> {
    const inserted = ledger.oracle.insertedAddresses().slice(-1);
    expect([-32000, -32603]).toContain((await call('getMultipleNewAddressProofsV2', inserted)).code);
  }

  async function requireOtherMethods(): Promise<void> {
    const answers = await Promise.all(readingCalls(ledger.oracle).map(({ method, params }) => call(method, params)));
    expect(answers.map(({ status, code }) => [status, code])).toEqual(answers.map(() => [200, undefined]));
  }

  const checkOnce = async () => {
    const [isServed] = await Promise.all([areProofsServed(), requireNoWrongProof(), requireOtherMethods()]);
    return isServed;
  };
  const untilRefused = () => eventually('proofs are refused', async () => !(await checkOnce()));
  const untilServed = () => eventually('proofs are served', checkOnce);

  it('refuses proofs after Redis was flushed, until the trees are rebuilt', async () => {
    // Records that are not consumed yet cause the trees to be rebuilt, maybe before a call fails. Once all are consumed,
    // only the next slot causes a rebuild, and until then every proof is refused.
    await stack.waitForTip();
    let startedAt = 0;
    await eventually('proofs are refused', async () => {
      await flush(redis);
      startedAt = Date.now();
      return !(await checkOnce());
    });
    await ledger.revealWhile(PACE_MS, untilServed());
    console.log(`proofs were served again ${Date.now() - startedAt} ms after Redis was flushed`);
    await stack.waitForTip();
    expect(await stack.differences()).toEqual([]);
    expect(stack.restartCount).toBe(0);
  });

  it('answers all but proofs during a Redis outage, limits rates, and serves proofs again without a restart', async () => {
    let startedAt = 0;
    const outage = (async () => {
      await redis.stop();
      await untilRefused();
      await stack.waitForTip();
      await requireLimit();
      for (let at = 0; at < 5; at++) expect(await checkOnce()).toBe(false);
      await redis.restart();
      startedAt = Date.now();
      await untilServed();
    })();
    await ledger.revealWhile(PACE_MS, outage);
    console.log(`proofs were served again ${Date.now() - startedAt} ms after Redis was back`);
    await stack.waitForTip();
    expect(await stack.differences()).toEqual([]);
    expect(stack.restartCount).toBe(0);
    expect(await stack.digest()).toBe(await digestCleanRun(ledger));
  });

  /** Without Redis each gateway counts by itself: a client has its points at both, and no more. */
  async function requireLimit(): Promise<void> {
    const calls = Array.from({ length: BATCH }, (_, id) => ({ jsonrpc: '2.0', id, method: 'nothing', params: [] }));
    let granted = 0;
    for (let at = 0; at < (2 * POINTS) / BATCH + 50; at++) {
      const headers = { 'content-type': 'application/json', 'x-forwarded-for': '192.0.2.1' };
      const { status } = await sendHttp(stack.url, { headers, body: JSON.stringify(calls) });
      if (status === 200) granted += BATCH;
      else expect(status).toBe(429);
    }
    expect(granted).toBeGreaterThanOrEqual(POINTS);
    expect(granted).toBeLessThanOrEqual(2 * POINTS);
  }
});

async function flush({ url }: TestRedis): Promise<void> {
  const redis = new Redis(url);
  await redis.flushall();
  redis.disconnect();
}
