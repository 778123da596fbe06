import { readRecords } from '@fresnel/adapters/bus';
import { SLOT_EVENTS, TREE_UPDATES } from '@fresnel/contracts/messages';
import { type LedgerOracle } from '@fresnel/ledger-generator';
import { createLogger } from '@fresnel/platform';
import { byFaultForm, eventually, Opened, sendHttp, TcpLink } from '@fresnel/testing/generic';
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
import { setTimeout as sleep } from 'node:timers/promises';

jest.setTimeout(1_200_000);

const HISTORY = 40;
const PACE_MS = 200;
/** Each start of a process takes a second. The simulation has two of each service that writes. */
const REPLICAS = byFaultForm({
  short: 'ingest=1,projector=1,prover=1,gateway=1',
  long: 'ingest=2,projector=2,prover=2,gateway=2',
});
/** In the long form longer than the sessions of consumers. */
const KAFKA_OUTAGE_MS = byFaultForm({ short: 1_000, long: 120_000 });
const POSTGRES_OUTAGE_MS = byFaultForm({ short: 1_000, long: 30_000 });
/** Timeout of a call in the gateway. */
const TIMEOUT_MS = 5_000;
/** A call that takes longer than this hangs. */
const HANGS_MS = TIMEOUT_MS + 60_000;
/** Points of a client in the rate limiter. A batch of 50 questions to the oracle costs up to 151 points each. */
const POINTS = 10_000;
const BATCH = 100;
/** How often the records expire, and blocks in between. */
const EXPIRIES = byFaultForm({ short: 1, long: 8 });
const BLOCKS_BETWEEN = byFaultForm({ short: 0, long: 100 });

/** What the short form has in other tests: a Redis that is down comes back empty, and the suites of the limiter have an outage. */
const itLong = byFaultForm({ short: it.skip, long: it });

const whole = <Message>(message: Message) => message;

describe('the stack', () => {
  const opened = new Opened();
  const history = new ProofHistory();
  let ledger: LiveLedger;
  let kafka: TestKafka;
  let redis: TestRedis;
  let postgres: TcpLink;
  let stack: StackUnderTest;
  let clients = 0;

  beforeAll(async () => {
    const record = (oracle: LedgerOracle) => {
      history.record(oracle);
    };
    ledger = opened.add(await LiveLedger.open({ seed: 37, slots: 6_000, transactionsPerSlot: 1 }, HISTORY, record));
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
    const linkDatabase = async (url: string) => {
      postgres = await TcpLink.to(url);
      opened.add({ close: () => postgres.cut() });
      return postgres.url;
    };
    stack = opened.add(await StackUnderTest.start(ledger, { replicas: REPLICAS, env, linkDatabase }));
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

  /** Calls every method that reads the tables. */
  const askAll = () => Promise.all(readingCalls(ledger.oracle).map(({ method, params }) => call(method, params)));

  /** Calls them, and expects the same answer to each. @returns the reported indexed slot */
  async function expectAnswers(status: number, code: number | undefined): Promise<number> {
    const answers = await askAll();
    expect(answers.map((answer) => [answer.status, answer.code])).toEqual(answers.map(() => [status, code]));
    return Number(answers[0].result);
  }

  /** Repeats the calls for a time, and at least twice. @returns the reported indexed slots, in order */
  async function watch(durationMs: number, expected: [number, number | undefined]): Promise<number[]> {
    const slots: number[] = [];
    const until = Date.now() + durationMs;
    while (Date.now() < until || slots.length < 2) {
      slots.push(await expectAnswers(...expected));
      await sleep(PACE_MS);
    }
    return slots;
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

  /** Checks all methods. @returns whether proofs are served */
  const checkAll = async () => {
    const [isServed] = await Promise.all([areProofsServed(), requireNoFalseProof(), expectAnswers(200, undefined)]);
    return isServed;
  };
  const waitUntilUnserved = () => eventually('proofs are unavailable', async () => !(await checkAll()));
  const waitUntilServed = () => eventually('proofs are served', checkAll);

  /** Waits for the last block, and expects what a run without the outage would have left, and no restart. */
  async function expectCleanRun(restarts: number, server: string): Promise<void> {
    const startedAt = Date.now();
    await stack.waitForTip();
    console.log(`everything was indexed ${Date.now() - startedAt} ms after ${server} was available again`);
    expect(await stack.differences()).toEqual([]);
    expect(await stack.digest()).toBe(await digestCleanRun(ledger.revealed));
    expect(stack.exits().slice(restarts)).toEqual([]);
  }

  it('answers at the last indexed slot during an outage of Kafka, and catches up in order', async () => {
    const { restarts } = stack;
    const outage = (async () => {
      await kafka.stop();
      const slots = await watch(KAFKA_OUTAGE_MS, [200, undefined]).finally(() => kafka.restart());
      // The projectors still persist what they fetched before the outage.
      expect(slots).toEqual([...slots].sort((a, b) => a - b));
      expect(slots.at(-1)).toBeLessThan(ledger.tip);
    })();
    await ledger.revealWhile(outage);
    await expectCleanRun(restarts, 'Kafka');
    for (const slots of await publishedSlots()) expect(slots).toEqual([...slots].sort((a, b) => a - b));
  });

  /** For each partition, its slots in the order in which they were first published. */
  async function publishedSlots(): Promise<number[][]> {
    const config = { brokers: kafka.brokers, clientId: 'tests' };
    const records = await readRecords(
      config,
      SLOT_EVENTS,
      { count: 100_000, end: 'oldest', select: whole },
      createLogger('silent'),
      new AbortController().signal,
    );
    const partitions = new Map<number, Set<number>>();
    for (const { partition, message } of records) {
      if (message.kind !== 'slot') continue;
      const slots = partitions.get(partition) ?? new Set();
      partitions.set(partition, slots.add(message.events.slot));
    }
    return [...partitions.values()].map((slots) => [...slots]);
  }

  it('answers with an error in time during an outage of Postgres, and stores no partial batch', async () => {
    const { restarts } = stack;
    const outage = (async () => {
      await postgres.cut();
      await watch(POSTGRES_OUTAGE_MS, [500, -32603]).finally(() => postgres.restore());
    })();
    await ledger.revealWhile(outage);
    await expectCleanRun(restarts, 'Postgres');
  });

  it('answers all other methods while Redis is down, and serves proofs again without a restart', async () => {
    const { restarts } = stack;
    const outage = (async () => {
      await redis.stop();
      try {
        await waitUntilUnserved();
        await stack.waitForTip();
        expect(await checkAll()).toBe(false);
      } finally {
        await redis.restart();
      }
    })();
    await ledger.revealWhile(outage);
    await ledger.revealWhile(waitUntilServed());
    await expectCleanRun(restarts, 'Redis');
  });

  itLong(
    'enforces rate limits while Redis is down: a client has its points once at each of the two gateways',
    async () => {
      await redis.stop();
      try {
        await requireLimit();
      } finally {
        await redis.restart();
      }
    },
  );

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

  itLong('serves no proofs after Redis was flushed until the trees are loaded, and no wrong ones', async () => {
    // A call waits while the trees are loaded, so it may succeed.
    const { restarts } = stack;
    await flush(redis);
    const startedAt = Date.now();
    await ledger.revealWhile(waitUntilServed());
    console.log(`proofs were served again ${Date.now() - startedAt} ms after Redis was flushed`);
    expect(await isEmpty(redis)).toBe(false);
    await stack.waitForTip();
    expect(await stack.differences()).toEqual([]);
    expect(stack.restarts).toBe(restarts);
  });

  itLong('serves proofs again after Redis was flushed while no block arrives', async () => {
    await flush(redis);
    await eventually('the trees are loaded', async () => !(await isEmpty(redis)));
    await waitUntilServed();
  });

  it('answers the same as before once Redis is empty, and Kafka has deleted all records because of their age', async () => {
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

  /** The answers of all methods. */
  async function answers(): Promise<unknown[]> {
    const proofs = await call('getMultipleNewAddressProofsV2', history.questions);
    return [...(await askAll()), proofs].map(({ status, result }) => ({ status, result }));
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
