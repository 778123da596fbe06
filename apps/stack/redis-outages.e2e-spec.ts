import { eventually, Opened, sendHttp } from '@fresnel/testing/generic';
import { PROVER_GROUP, TREE_UPDATES } from '@fresnel/contracts/messages';
import { type LedgerOracle } from '@fresnel/ledger-generator';
import { ProofHistory } from '@fresnel/testing/ledger';
import { startTestRedis, type TestRedis } from '@fresnel/testing/servers';
import {
  callRpc,
  digestCleanRun,
  type Environment,
  LiveLedger,
  readingCalls,
  type RpcAnswer,
  StackUnderTest,
} from '@fresnel/testing/stack';
import { Redis } from 'ioredis';
import { Kafka, logLevel } from 'kafkajs';

jest.setTimeout(600_000);

const HISTORY = 60;
const PACE_MS = 200;
/** Timeout of a call in the gateway. */
const TIMEOUT_MS = 5_000;
/** A call that takes longer than this hangs. */
const HANGS_MS = TIMEOUT_MS + 10_000;
/** Points of a client in the rate limiter. */
const POINTS = 20_000;
const BATCH = 100;

describe('the stack, if Redis', () => {
  const opened = new Opened();
  let ledger: LiveLedger;
  const history = new ProofHistory();
  let redis: TestRedis;
  let stack: StackUnderTest;
  let clients = 0;

  beforeAll(async () => {
    const options = { seed: 31, slots: 1_500, transactionsPerSlot: 1 };
    const record = (oracle: LedgerOracle) => {
      history.record(oracle);
    };
    ledger = opened.add(await LiveLedger.open(options, HISTORY, record));
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

  it('is flushed: serves no proofs until the trees are loaded from the journal, and no wrong ones', async () => {
    // While records are in flight, those of the second ingest included, the trees may be loaded before a call times out.
    // When none are, the trees stay empty until the next slot, so that a call is certain to fail.
    await stack.waitForTip();
    expect(await deleteAppliedRecords(stack.env)).toBeGreaterThan(HISTORY);
    let startedAt = 0;
    await eventually('proofs are unavailable', async () => {
      await flush(redis);
      startedAt = Date.now();
      return !(await checkAll());
    });
    await ledger.revealWhile(PACE_MS, waitUntilServed());
    console.log(`proofs were served again ${Date.now() - startedAt} ms after Redis was flushed`);
    await stack.waitForTip();
    expect(await stack.differences()).toEqual([]);
    expect(stack.restarts).toBe(0);
  });

  it('is down: answers all other methods, enforces rate limits, and serves proofs again without a restart', async () => {
    let startedAt = 0;
    const outage = (async () => {
      await redis.stop();
      await waitUntilUnserved();
      await stack.waitForTip();
      await requireLimit();
      for (let at = 0; at < 5; at++) expect(await checkAll()).toBe(false);
      await redis.restart();
      startedAt = Date.now();
      await waitUntilServed();
    })();
    await ledger.revealWhile(PACE_MS, outage);
    console.log(`proofs were served again ${Date.now() - startedAt} ms after Redis was available again`);
    await stack.waitForTip();
    expect(await stack.differences()).toEqual([]);
    expect(stack.restarts).toBe(0);
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

/** Deletes the records that the provers have applied, as retention does. @returns how many there were */
async function deleteAppliedRecords({ KAFKA_BROKERS: brokers, KAFKA_PREFIX: prefix }: Environment): Promise<number> {
  const admin = new Kafka({ brokers: brokers.split(','), clientId: 'tests', logLevel: logLevel.NOTHING }).admin();
  const topic = `${prefix}${TREE_UPDATES.name}`;
  await admin.connect();
  const [{ partitions }] = await admin.fetchOffsets({ groupId: `${prefix}${PROVER_GROUP}`, topics: [topic] });
  await admin.deleteTopicRecords({ topic, partitions });
  await admin.disconnect();
  return partitions.reduce((sum, { offset }) => sum + Number(offset), 0);
}

async function flush({ url }: TestRedis): Promise<void> {
  const redis = new Redis(url);
  await redis.flushall();
  redis.disconnect();
}
