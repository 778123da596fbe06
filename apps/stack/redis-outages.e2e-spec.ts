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
/** Of a call; what takes much longer hangs. */
const TIMEOUT_MS = 5_000;
const HANGS_MS = TIMEOUT_MS + 10_000;
/** A client's points; enough for what we ask ourselves. */
const POINTS = 20_000;
const BATCH = 100;

describe('the stack, when Redis', () => {
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
    const settings = {
      REDIS_URL: redis.url,
      GATEWAY_REQUEST_TIMEOUT_MS: String(TIMEOUT_MS),
      GATEWAY_TRUSTED_PROXIES: '1',
      RATE_LIMIT_ENABLED: 'true',
      RATE_LIMIT_POINTS: String(POINTS),
      RATE_LIMIT_WINDOW_SECONDS: '3600',
    };
    stack = opened.add(await StackUnderTest.start(ledger, { settings }));
    await untilServed();
  });
  afterAll(() => opened.close());

  /** Each for a client of its own, so that no limit is in the way. */
  async function call(method: string, params: unknown): Promise<RpcAnswer> {
    clients++;
    const answer = await callRpc(stack.url, { method, params }, `10.0.${clients >> 8}.${clients & 255}`);
    expect(answer.durationMs).toBeLessThan(HANGS_MS);
    return answer;
  }

  /** Asks for proofs: for right ones, or for none. @returns whether there were some */
  async function areProofsServed(): Promise<boolean> {
    const { status, result, code } = await call('getMultipleNewAddressProofsV2', history.questions);
    if (status === 200) expect(history.isRight(result)).toBe(true);
    else expect([status, code]).toEqual([500, -32603]);
    return status === 200;
  }

  /** What is in a tree is not new, however far the tree is built again. */
  async function requireNoFalseProof(): Promise<void> {
    const taken = ledger.oracle.insertedAddresses().slice(-1);
    expect([-32000, -32603]).toContain((await call('getMultipleNewAddressProofsV2', taken)).code);
  }

  async function requireOthersAnswer(): Promise<void> {
    const answers = await Promise.all(readingCalls(ledger.oracle).map(({ method, params }) => call(method, params)));
    expect(answers.map(({ status, code }) => [status, code])).toEqual(answers.map(() => [200, undefined]));
  }

  const look = async () => {
    const [isServed] = await Promise.all([areProofsServed(), requireNoFalseProof(), requireOthersAnswer()]);
    return isServed;
  };
  const untilRefused = () => eventually('proofs are refused', async () => !(await look()));
  const untilServed = () => eventually('proofs are served', look);

  it('is emptied: refuses proofs until the trees are built again, and gives no wrong one', async () => {
    // Records that are still on their way, the second ingest's among them, have trees built again before a call has waited
    // for them to its end. Once there are none the next slot has to come, which is when a refusal is certain to be seen.
    await stack.waitForTip();
    let startedAt = 0;
    await eventually('proofs are refused', async () => {
      await empty(redis);
      startedAt = Date.now();
      return !(await look());
    });
    await ledger.revealWhile(PACE_MS, untilServed());
    console.log(`proofs were served again ${Date.now() - startedAt} ms after Redis was emptied`);
    await stack.waitForTip();
    expect(await stack.differences()).toEqual([]);
    expect(stack.endedProcesses).toBe(0);
  });

  it('is away: answers all but proofs, keeps its limits, and serves proofs again without a restart', async () => {
    let startedAt = 0;
    const outage = (async () => {
      await redis.stop();
      await untilRefused();
      await stack.waitForTip();
      await requireLimit();
      for (let at = 0; at < 5; at++) expect(await look()).toBe(false);
      await redis.restart();
      startedAt = Date.now();
      await untilServed();
    })();
    await ledger.revealWhile(PACE_MS, outage);
    console.log(`proofs were served again ${Date.now() - startedAt} ms after Redis was back`);
    await stack.waitForTip();
    expect(await stack.differences()).toEqual([]);
    expect(stack.endedProcesses).toBe(0);
    expect(await stack.digest()).toBe(await digestCleanRun(ledger));
  });

  /** Each gateway counts by itself then: a client has its points at both, and no more. */
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

async function empty({ url }: TestRedis): Promise<void> {
  const redis = new Redis(url);
  await redis.flushall();
  redis.disconnect();
}
