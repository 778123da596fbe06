import { isDeepStrictEqual } from 'node:util';
import { PROJECTOR_GROUP } from '@fresnel/contracts/messages';
import { generateLedger, LedgerOracle, Random } from '@fresnel/ledger-generator';
import {
  byFaultForm,
  eventually,
  Opened,
  parseExactJson,
  sendHttp,
  toExactForm,
  until,
} from '@fresnel/testing/generic';
import { type ContextCall, listContextCalls } from '@fresnel/testing/ledger';
import { LiveLedger, type RunningReplica, StackUnderTest } from '@fresnel/testing/stack';
import { AssignerProtocol, Kafka, logLevel } from 'kafkajs';

const PROJECTORS = byFaultForm({ short: 2, long: 3 });
/** How many of them are frozen, one after another, and how often. The simulation freezes a projector at every operation. */
const FROZEN = byFaultForm({ short: 1, long: PROJECTORS });
const ROUNDS = byFaultForm({ short: 1, long: 20 });
const LEDGER = { seed: 47, slots: 150 * ROUNDS, transactionsPerSlot: 2, weights: { migrateLeaves: 4 } };
const HISTORY = 20;
const ASKERS = 3;
/** Answers during a freeze, and as many while the projector catches up. */
const ANSWERS = byFaultForm({ short: 60, long: 150 });
/**
 * Longer than any freeze, so that the frozen projector keeps its partitions and they fall behind. Members of a group learn of a
 * rebalance after a fifth of it.
 */
const SESSION_TIMEOUT_MS = 30_000;
/** Blocks above the indexed slot that the other projectors have stored during a freeze. */
const MIN_AHEAD = 5;

/** A call, and its answer in the form of `parseExactJson`. */
interface Answered {
  call: ContextCall;
  slot: number;
  answer: unknown;
}

describe('answers of the stack while projectors freeze', () => {
  const opened = new Opened();
  const calls = listContextCalls(oracleOfAll());
  let ledger: LiveLedger;
  let stack: StackUnderTest;

  beforeAll(async () => {
    ledger = opened.add(await LiveLedger.open(LEDGER, HISTORY));
    stack = opened.add(
      await StackUnderTest.start(ledger, {
        replicas: `ingest=1,projector=${PROJECTORS},prover=1,gateway=1`,
        env: { KAFKA_SESSION_TIMEOUT_MS: String(SESSION_TIMEOUT_MS) },
      }),
    );
  });
  afterAll(() => opened.close());

  function oracleOfAll(): LedgerOracle {
    const oracle = new LedgerOracle();
    for (const block of generateLedger(LEDGER)) oracle.apply(block);
    return oracle;
  }

  /** Makes one call after the other, and collects the answers. A proof may be refused while a tree is behind the tables. */
  async function ask(queue: Iterator<ContextCall>, answers: Answered[], signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const { value: call } = queue.next() as IteratorYieldResult<ContextCall>;
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: call.method, params: call.params });
      const { text } = await sendHttp(stack.url, { body, reusesConnection: true });
      const { result } = parseExactJson(text) as { result?: { context: { slot: number } } };
      if (result) answers.push({ call, slot: result.context.slot, answer: result });
      else expect([call.method, text]).toEqual(['getMultipleNewAddressProofsV2', expect.stringContaining('-32603')]);
    }
  }

  /** Waits until each projector has partitions. A projector that is frozen during a rebalance would hold up the others. */
  async function untilAssigned(): Promise<void> {
    const brokers = stack.env.KAFKA_BROKERS.split(',');
    const admin = new Kafka({ brokers, clientId: 'tests', logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    await eventually('each projector has partitions', async () => {
      const { groups } = await admin.describeGroups([`${stack.env.KAFKA_PREFIX}${PROJECTOR_GROUP}`]);
      const [{ state, members }] = groups;
      const assignments = members.map(({ memberAssignment }) =>
        AssignerProtocol.MemberAssignment.decode(memberAssignment),
      );
      const counts = assignments.map((decoded) => Object.values(decoded?.assignment ?? {}).flat().length);
      return state === 'Stable' && counts.length === PROJECTORS && counts.every((count) => count > 0);
    });
    await admin.disconnect();
  }

  /** Freezes a process until `act` has ended. */
  async function whileFrozen({ pid }: RunningReplica, act: () => Promise<void>): Promise<void> {
    process.kill(pid, 'SIGSTOP');
    await act().finally(() => process.kill(pid, 'SIGCONT'));
  }

  /** Reveals blocks until the other projectors have stored some above the indexed slot. */
  async function revealUntilAhead(): Promise<void> {
    await eventually('blocks are stored above the indexed slot', async () => {
      ledger.reveal(1);
      const [{ ahead }] = await stack.database.dataSource.query<{ ahead: string }[]>(
        `SELECT count(*) AS ahead FROM blocks, indexer_state WHERE slot > indexed_slot`,
      );
      return Number(ahead) >= MIN_AHEAD;
    });
  }

  it('are those of a chain that ends at their slot', async () => {
    const stop = new AbortController();
    const answers: Answered[] = [];
    const queue = repeat(shuffled(calls));
    const asking = Promise.all(Array.from({ length: ASKERS }, () => ask(queue, answers, stop.signal)));
    const untilAnswered = () => {
      const enough = answers.length + ANSWERS;
      return until(() => answers.length >= enough, [asking]);
    };
    const projectors = stack
      .replicas()
      .filter(({ service }) => service === 'projector')
      .slice(0, FROZEN);
    for (const projector of Array.from({ length: ROUNDS }, () => projectors).flat()) {
      await untilAssigned();
      await whileFrozen(projector, async () => {
        await revealUntilAhead();
        await untilAnswered();
      });
      await untilAnswered();
      await stack.waitForTip();
    }
    stop.abort();
    await asking;

    const bySlot = new Map<number, Answered[]>();
    for (const answer of answers) bySlot.set(answer.slot, [...(bySlot.get(answer.slot) ?? []), answer]);
    const truth = new LedgerOracle();
    const wrong: object[] = [];
    for (const block of ledger.revealed) {
      truth.apply(block);
      for (const { call, answer } of bySlot.get(block.slot) ?? []) {
        const expected = toExactForm(call.answerOf(truth));
        if (isDeepStrictEqual(answer, expected)) continue;
        wrong.push({ method: call.method, params: call.params, answer, truth: expected });
      }
      bySlot.delete(block.slot);
    }
    expect(wrong).toEqual([]);
    expect([...bySlot.keys()]).toEqual([]);
  });
});

/** The elements in an order in which neighbors are far apart. */
function shuffled<Element>(elements: readonly Element[]): Element[] {
  return new Random(47).sample(elements, elements.length);
}

function* repeat<Element>(elements: readonly Element[]): Generator<Element, never> {
  for (;;) yield* elements;
}
