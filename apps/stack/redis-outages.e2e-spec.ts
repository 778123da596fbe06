import { byFaultForm, eventually, Opened, sendHttp } from '@fresnel/testing/generic';
import { SLOT_EVENTS, TREE_UPDATES } from '@fresnel/contracts/messages';
import { type LedgerOracle } from '@fresnel/ledger-generator';
import { ProofHistory } from '@fresnel/testing/ledger';
import {
  EAGER_RETENTION,
  expireSegments,
  startTestKafka,
  startTestRedis,
  type TestKafka,
  type TestRedis,
} from '@fresnel/testing/servers';
import {
  callRpc,
  digestCleanRun,
  LiveLedger,
  readingCalls,
  type RpcAnswer,
  type RunningReplica,
  StackUnderTest,
} from '@fresnel/testing/stack';
import { Redis } from 'ioredis';

const HISTORY = 60;
const PACE_MS = 200;
/** Timeout of a call in the gateway. */
const TIMEOUT_MS = 10_000;
/** A call that takes longer than this hangs. */
const HANGS_MS = TIMEOUT_MS + 60_000;
/** Points of a client in the rate limiter. A batch of 50 questions to the oracle costs up to 151 points each. */
const POINTS = 10_000;
const BATCH = 100;
/** How often the records expire, and blocks in between. */
const EXPIRIES = byFaultForm({ short: 1, long: 8 });
const BLOCKS_BETWEEN = byFaultForm({ short: 0, long: 100 });

describe('the stack, if Redis', () => {
  const opened = new Opened();
  let ledger: LiveLedger;
  const history = new ProofHistory();
  let kafka: TestKafka;
  let redis: TestRedis;
  let stack: StackUnderTest;
  let clients = 0;

  beforeAll(async () => {
    const options = { seed: 31, slots: 1_500, transactionsPerSlot: 1 };
    const record = (oracle: LedgerOracle) => {
      history.record(oracle);
    };
    ledger = opened.add(await LiveLedger.open(options, HISTORY, record));
    [kafka, redis] = await Promise.all([startTestKafka(EAGER_RETENTION), startTestRedis()]);
    opened.add(redis);
    opened.add(kafka);
    const env = {
      KAFKA_BROKERS: kafka.brokers.join(),
      KAFKA_PREFIX: '',
      REDIS_URL: redis.url,
      GATEWAY_REQUEST_TIMEOUT_MS: String(TIMEOUT_MS),
      GATEWAY_TRUSTED_PROXIES: '1',
      RATE_LIMIT_ENABLED: 'true',
      RATE_LIMIT_POINTS: String(POINTS),
      RATE_LIMIT_WINDOW_SECONDS: '3600',
    };
    const replicas = 'ingest=1,projector=2,prover=2,gateway=2';
    stack = opened.add(await StackUnderTest.start(ledger, { replicas, env }));
  });
  beforeEach(async () => {
    await stack.waitForTip();
    await waitUntilServed();
  });
  afterAll(() => opened.close());

  /** Calls as a new client, so that the rate limit does not apply. */
  async function call(method: string, params: unknown): Promise<RpcAnswer> {
    clients++;
    const answer = await callRpc(stack.url, { method, params }, `10.0.${clients >> 8}.${clients & 255}`);
    expect(answer.durationMs).toBeLessThan(HANGS_MS);
    return answer;
  }

  /** Requests proofs, and expects correct ones or an error. @returns whether there were proofs */
  async function areProofsServed(): Promise<boolean> {
    const { status, result, code } = await call('getMultipleNewAddressProofsV2', history.questions);
    if (status === 200) expect(history.isCorrect(result)).toBe(true);
    else expect([status, code]).toEqual([500, -32603]);
    return status === 200;
  }

  /** An address that is in the tree must get no proof, however much of the tree has been rebuilt. */
  async function requireNoFalseProof(): Promise<void> {
    const inserted = ledger.oracle.insertedAddresses().slice(-1);
    expect([-32000, -32603]).toContain((await call('getMultipleNewAddressProofsV2', inserted)).code);
  }

  async function requireOtherMethodsAnswer(): Promise<void> {
    const answers = await Promise.all(readingCalls(ledger.oracle).map(({ method, params }) => call(method, params)));
    expect(answers.map(({ status, code }) => [status, code])).toEqual(answers.map(() => [200, undefined]));
  }

  /** Checks all methods. @returns whether proofs are served */
  const checkAll = async () => {
    const [isServed] = await Promise.all([areProofsServed(), requireNoFalseProof(), requireOtherMethodsAnswer()]);
    return isServed;
  };
  const waitUntilUnserved = () => eventually('proofs are unavailable', async () => !(await checkAll()));
  const waitUntilServed = () => eventually('proofs are served', checkAll);

  /** The answers of all methods. */
  async function answers(): Promise<unknown[]> {
    const calls = [
      ...readingCalls(ledger.oracle),
      { method: 'getMultipleNewAddressProofsV2', params: history.questions },
    ];
    return Promise.all(
      calls.map(async ({ method, params }) => {
        const { status, result } = await call(method, params);
        return { method, status, result };
      }),
    );
  }

  async function expireAll(): Promise<void> {
    const deleted = await Promise.all(
      [TREE_UPDATES, SLOT_EVENTS].map(({ name }) => expireSegments(kafka.brokers, name)),
    );
    for (const count of deleted) expect(count).toBeGreaterThan(HISTORY);
  }

  /** Kills all provers and projectors. The stack starts them again. */
  async function killConsumers(): Promise<void> {
    const isConsumer = ({ service }: RunningReplica) => service === 'prover' || service === 'projector';
    const killed = stack.replicas().filter(isConsumer);
    const restarts = stack.restarts + killed.length;
    for (const { pid } of killed) process.kill(pid, 'SIGKILL');
    await eventually('the killed processes were started again', () => stack.restarts === restarts);
  }

  it('is empty, and Kafka has deleted all records because of their age: answers the same as before', async () => {
    for (let expiry = 0; expiry < EXPIRIES; expiry++) {
      ledger.reveal(BLOCKS_BETWEEN);
      await stack.waitForTip();
      await waitUntilServed();
      const before = await answers();
      await expireAll();
      await killConsumers();
      await flush(redis);
      await waitUntilServed();
      expect(await answers()).toEqual(before);
    }
    ledger.reveal(5);
    await stack.waitForTip();
    expect(await stack.differences()).toEqual([]);
  });

  it('is flushed: serves no proofs until the trees are loaded from the journal, and no wrong ones', async () => {
    // A call waits while the trees are loaded, so it may succeed.
    const { restarts } = stack;
    await flush(redis);
    const startedAt = Date.now();
    await ledger.revealWhile(PACE_MS, waitUntilServed());
    console.log(`proofs were served again ${Date.now() - startedAt} ms after Redis was flushed`);
    expect(await isEmpty(redis)).toBe(false);
    await stack.waitForTip();
    expect(await stack.differences()).toEqual([]);
    expect(stack.restarts).toBe(restarts);
  });

  it('is flushed while no block arrives: serves proofs again', async () => {
    await flush(redis);
    await eventually('the trees are loaded', async () => !(await isEmpty(redis)));
    await waitUntilServed();
  });

  it('is down: answers all other methods, enforces rate limits, and serves proofs again without a restart', async () => {
    const { restarts } = stack;
    const outage = (async () => {
      await redis.stop();
      try {
        await waitUntilUnserved();
        await stack.waitForTip();
        await requireLimit();
        for (let at = 0; at < 3; at++) expect(await checkAll()).toBe(false);
      } finally {
        await redis.restart();
      }
    })();
    await ledger.revealWhile(PACE_MS, outage);
    const startedAt = Date.now();
    await ledger.revealWhile(PACE_MS, waitUntilServed());
    console.log(`proofs were served again ${Date.now() - startedAt} ms after Redis was available again`);
    await stack.waitForTip();
    expect(await stack.differences()).toEqual([]);
    expect(stack.restarts).toBe(restarts);
    expect(await stack.digest()).toBe(await digestCleanRun(ledger.revealed));
  });

  /** Each gateway counts in its own memory then: a client has its points once at each. */
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

async function isEmpty({ url }: TestRedis): Promise<boolean> {
  const redis = new Redis(url);
  const keys = await redis.keys('*:elements');
  redis.disconnect();
  return keys.length === 0;
}

async function flush({ url }: TestRedis): Promise<void> {
  const redis = new Redis(url);
  await redis.flushall();
  redis.disconnect();
}
