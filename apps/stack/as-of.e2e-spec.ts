import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { generateLedger, LedgerOracle, Random } from '@fresnel/ledger-generator';
import { byFaultForm, Opened, parseExactJson, sendHttp, toExactForm } from '@fresnel/testing/generic';
import { type ContextCall, listContextCalls } from '@fresnel/testing/ledger';
import { LiveLedger, StackUnderTest } from '@fresnel/testing/stack';

jest.setTimeout(600_000);

const LEDGER = {
  seed: 47,
  slots: byFaultForm({ short: 150, middle: 300, long: 1_500 }),
  transactionsPerSlot: 2,
  weights: { migrateLeaves: 4 },
};
const HISTORY = 20;
const PACE_MS = 60;
const ASKERS = 3;
/** The chain waits for the answers, so that there are as many on a slow machine. */
const ANSWERS = byFaultForm({ short: 1_000, middle: 3_000, long: 20_000 });
/** Below the session timeout, so that the frozen projector keeps its partitions and they fall behind. */
const LONGEST_FREEZE_MS = 2_500;

/** A call, and its answer in the form of `parseExactJson`. */
interface Answered {
  call: ContextCall;
  slot: number;
  answer: unknown;
}

describe('answers of the stack while projectors freeze for seconds', () => {
  const opened = new Opened();
  const random = new Random(47);
  const calls = listContextCalls(oracleOfAll());
  let ledger: LiveLedger;
  let stack: StackUnderTest;

  beforeAll(async () => {
    ledger = opened.add(await LiveLedger.open(LEDGER, HISTORY));
    stack = opened.add(await StackUnderTest.start(ledger, { replicas: 'ingest=1,projector=3,prover=1,gateway=2' }));
  });
  afterAll(() => opened.close());

  function oracleOfAll(): LedgerOracle {
    const oracle = new LedgerOracle();
    for (const block of generateLedger(LEDGER)) oracle.apply(block);
    return oracle;
  }

  /** Makes random calls, and collects the answers. A proof may be refused while a tree is behind the tables. */
  async function ask(answers: Answered[], signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const call = random.pick(calls);
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: call.method, params: call.params });
      const { text } = await sendHttp(stack.url, { body, reusesConnection: true });
      const { result } = parseExactJson(text) as { result?: { context: { slot: number } } };
      if (result) answers.push({ call, slot: result.context.slot, answer: result });
      else expect([call.method, text]).toEqual(['getMultipleNewAddressProofsV2', expect.stringContaining('-32603')]);
    }
  }

  /** Freezes one projector after the other. @returns the most blocks that were stored above the indexed slot */
  async function freeze(signal: AbortSignal): Promise<number> {
    const projectors = stack.replicas().filter(({ service }) => service === 'projector');
    let mostAhead = 0;
    while (!signal.aborted) {
      const { pid } = random.pick(projectors);
      process.kill(pid, 'SIGSTOP');
      try {
        await sleep(500 + random.below(LONGEST_FREEZE_MS - 500));
        const [{ ahead }] = await stack.database.dataSource.query<{ ahead: string }[]>(
          `SELECT count(*) AS ahead FROM blocks, indexer_state WHERE slot > indexed_slot`,
        );
        mostAhead = Math.max(mostAhead, Number(ahead));
      } finally {
        process.kill(pid, 'SIGCONT');
      }
      await sleep(random.below(500));
    }
    return mostAhead;
  }

  async function revealAll(answers: readonly Answered[]): Promise<void> {
    while (ledger.reveal(1) > 0) {
      await sleep(PACE_MS);
      while (answers.length < ANSWERS * (ledger.revealed.length / LEDGER.slots)) await sleep(5);
    }
    while (answers.length < ANSWERS) await sleep(5);
  }

  it('are those of a chain that ends at their slot', async () => {
    const stop = new AbortController();
    const answers: Answered[] = [];
    const asking = Promise.all(Array.from({ length: ASKERS }, () => ask(answers, stop.signal)));
    const freezer = freeze(stop.signal);
    await Promise.race([asking, revealAll(answers)]);
    stop.abort();
    const mostAhead = await freezer;
    await asking;
    await stack.waitForTip();

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
    expect(mostAhead).toBeGreaterThan(5);
    console.log(`${answers.length} answers, up to ${mostAhead} blocks stored above the indexed slot`);
  });
});
