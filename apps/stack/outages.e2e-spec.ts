import { readRecords } from '@fresnel/adapters/bus';
import { SLOT_EVENTS } from '@fresnel/contracts/messages';
import { createLogger } from '@fresnel/platform';
import { byFaultForm, Opened, TcpLink } from '@fresnel/testing/generic';
import { startTestKafka, type TestKafka } from '@fresnel/testing/servers';
import {
  callRpc,
  digestCleanRun,
  LiveLedger,
  readingCalls,
  type RpcAnswer,
  StackUnderTest,
} from '@fresnel/testing/stack';
import { setTimeout as sleep } from 'node:timers/promises';

jest.setTimeout(1_200_000);

const HISTORY = 40;
const PACE_MS = 200;
/** Longer than the sessions of consumers. */
const KAFKA_OUTAGE_MS = byFaultForm({ short: 8_000, long: 120_000 });
const POSTGRES_OUTAGE_MS = byFaultForm({ short: 3_000, long: 30_000 });
/** Timeout of a call in the gateway. */
const TIMEOUT_MS = 5_000;
/** A call that takes longer than this hangs. */
const HANGS_MS = TIMEOUT_MS + 60_000;

const whole = <Message>(message: Message) => message;

describe('the stack during an outage of', () => {
  const opened = new Opened();
  let ledger: LiveLedger;
  let kafka: TestKafka;
  let postgres: TcpLink;
  let stack: StackUnderTest;

  beforeAll(async () => {
    ledger = opened.add(await LiveLedger.open({ seed: 37, slots: 3_000, transactionsPerSlot: 1 }, HISTORY));
    kafka = opened.add(await startTestKafka());
    const env = {
      KAFKA_BROKERS: kafka.brokers.join(),
      KAFKA_PREFIX: '',
      GATEWAY_REQUEST_TIMEOUT_MS: String(TIMEOUT_MS),
    };
    const replicas = 'ingest=2,projector=2,prover=1,gateway=1';
    const linkDatabase = async (url: string) => {
      postgres = await TcpLink.to(url);
      opened.add({ close: () => postgres.cut() });
      return postgres.url;
    };
    stack = opened.add(await StackUnderTest.start(ledger, { replicas, env, linkDatabase }));
  });
  afterAll(() => opened.close());

  /** Calls every method that reads the tables. */
  async function askAll(): Promise<RpcAnswer[]> {
    const answers = await Promise.all(readingCalls(ledger.oracle).map((call) => callRpc(stack.url, call)));
    for (const { durationMs } of answers) expect(durationMs).toBeLessThan(HANGS_MS);
    return answers;
  }

  /** Repeats the calls for a time, and expects the same answer to each. @returns the reported indexed slots, in order */
  async function watch(durationMs: number, expected: [number, number | undefined]): Promise<number[]> {
    const slots: number[] = [];
    const until = Date.now() + durationMs;
    while (Date.now() < until) {
      const answers = await askAll();
      expect(answers.map(({ status, code }) => [status, code])).toEqual(answers.map(() => expected));
      slots.push(Number(answers[0].result));
      await sleep(PACE_MS);
    }
    return slots;
  }

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

  it('Kafka: answers at the last indexed slot, and catches up in order', async () => {
    const outage = (async () => {
      await kafka.stop();
      const slots = await watch(KAFKA_OUTAGE_MS, [200, undefined]).finally(() => kafka.restart());
      // The projectors still persist what they fetched before the outage.
      expect(slots).toEqual([...slots].sort((a, b) => a - b));
      expect(slots.at(-1)).toBeLessThan(ledger.tip);
    })();
    await ledger.revealWhile(PACE_MS, outage);
    const startedAt = Date.now();
    await stack.waitForTip();
    console.log(`everything was indexed ${Date.now() - startedAt} ms after Kafka was available again`);
    for (const slots of await publishedSlots()) expect(slots).toEqual([...slots].sort((a, b) => a - b));
    expect(await stack.differences()).toEqual([]);
    expect(await stack.digest()).toBe(await digestCleanRun(ledger.revealed));
    expect(stack.exits()).toEqual([]);
  });

  it('Postgres: answers with an error in time, and stores no partial batch', async () => {
    await stack.waitForTip();
    const outage = (async () => {
      await postgres.cut();
      await watch(POSTGRES_OUTAGE_MS, [500, -32603]).finally(() => postgres.restore());
    })();
    await ledger.revealWhile(PACE_MS, outage);
    const startedAt = Date.now();
    await stack.waitForTip();
    console.log(`everything was indexed ${Date.now() - startedAt} ms after Postgres was available again`);
    expect(await stack.differences()).toEqual([]);
    expect(await stack.digest()).toBe(await digestCleanRun(ledger.revealed));
    expect(stack.exits()).toEqual([]);
  });
});
