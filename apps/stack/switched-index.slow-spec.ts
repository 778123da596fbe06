import { setTimeout as sleep } from 'node:timers/promises';
import { type Transaction } from '@fresnel/client';
import { eventually, Opened, sendHttp, TcpLink } from '@fresnel/testing/generic';
import { PushSubscriber } from '@fresnel/testing/gateway';
import { ProofHistory } from '@fresnel/testing/ledger';
import { callRpc, LiveLedger, readingCalls, type RpcCall, ServicesUnderTest } from '@fresnel/testing/stack';

const HISTORY = 60;
/** Blocks until the pause: more than the chain gets while two ingests start. */
const AHEAD = 30;
/** Blocks after the pause. */
const AFTER = 10;
/** Longer than many requests take. */
const DRAIN_MS = 5_000;
const WORKERS = 4;
/** Between two calls of a worker: hundreds of calls a second see a gap, and leave the processors to the services. */
const PAUSE_MS = 10;
const PROOFS: RpcCall = { method: 'getMultipleNewAddressProofsV2', params: new ProofHistory().questions };

/** Sends calls to an address over and over, each second one on a connection that is kept. */
class SlotWatcher {
  answered = 0;
  /** Errors, and answers at an older slot than one that had arrived before the call was sent. */
  readonly failures: string[] = [];
  /** By whether provers answer: they may be ahead of the tables. */
  private readonly newest = { tables: 0, provers: 0 };
  private hasEnded = false;
  private readonly workers: Promise<unknown>;

  constructor(
    private readonly url: string,
    private readonly calls: readonly RpcCall[],
  ) {
    this.workers = Promise.all(Array.from({ length: WORKERS }, (_, number) => this.work(number)));
  }

  async end(): Promise<void> {
    this.hasEnded = true;
    await this.workers;
  }

  private async work(number: number): Promise<void> {
    for (let at = number; !this.hasEnded; at++) {
      const call = this.calls[at % this.calls.length];
      const from = call === PROOFS ? 'provers' : 'tables';
      const known = this.newest[from];
      const slot = await this.ask(call, at % 2 === 0).catch((error: unknown) => String(error));
      if (typeof slot === 'string') this.failures.push(`${new Date().toISOString()} ${call.method}: ${slot}`);
      else if (slot < known) this.failures.push(`${call.method}: slot ${slot} after ${known}`);
      else this.newest[from] = Math.max(this.newest[from], slot);
      this.answered++;
      await sleep(PAUSE_MS);
    }
  }

  /** @returns the slot of the answer @throws for an error */
  private async ask(call: RpcCall, reusesConnection: boolean): Promise<number> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...call });
    const { text } = await sendHttp(this.url, { body, reusesConnection });
    const { result } = JSON.parse(text) as { result?: number | { context: { slot: number } } };
    const slot = typeof result === 'object' ? result.context.slot : result;
    if (slot === undefined) throw new Error(text);
    return slot;
  }
}

describe('an index that was built beside the running one', () => {
  const opened = new Opened();
  let ledger: LiveLedger;
  let old: ServicesUnderTest;
  /** The one address of all gateways. */
  let link: TcpLink;
  beforeAll(async () => {
    ledger = opened.add(await LiveLedger.open({ seed: 57, slots: 5_000, transactionsPerSlot: 1 }, HISTORY));
    old = await launch();
    link = await TcpLink.to(old.url);
    opened.add({ close: () => link.cut() });
  });
  afterAll(() => opened.close());

  /** Services with a database and prefixes of their own, on the servers that all share. */
  async function launch(): Promise<ServicesUnderTest> {
    const services = await ServicesUnderTest.launch(ledger, undefined, { SHUTDOWN_DRAIN_MS: String(DRAIN_MS) });
    opened.add(services);
    await services.waitForTip();
    return services;
  }

  const slotOf = async ({ url }: ServicesUnderTest) =>
    (await callRpc(url, { method: 'getIndexerSlot', params: [] })).result as number;

  /** @returns the block at which both are */
  async function pauseBoth(next: ServicesUnderTest): Promise<number> {
    const pauseSlot = (await slotOf(old)) + AHEAD;
    const env = { INGEST_PAUSE_SLOT: String(pauseSlot) };
    await Promise.all([old, next].map((services) => services.restart('ingest', env)));
    await eventually('both have reached the pause', async () => {
      const slots = await Promise.all([slotOf(old), slotOf(next)]);
      return slots[0] >= pauseSlot && slots[0] === slots[1];
    });
    return slotOf(old);
  }

  /** Asks both for the second page of a list, with the cursor that the old index gave. */
  async function expectSamePages(next: ServicesUnderTest): Promise<void> {
    const method = 'getLatestCompressionSignatures';
    const first = await callRpc(old.url, { method, params: { limit: 5 } });
    const { cursor } = (first.result as { value: { cursor: string } }).value;
    const call = { method, params: { limit: 5, cursor } };
    const [{ result: expected }, { result }] = await Promise.all([callRpc(old.url, call), callRpc(next.url, call)]);
    expect(result).toMatchObject({ value: { items: expect.arrayContaining([expect.anything()]) as unknown } });
    expect(result).toEqual(expected);
  }

  /** Whether a closed account waits in a queue is said as of the time at which a transaction is sent. */
  const withoutQueued = ({ closedAccounts, ...rest }: Transaction) => ({
    ...rest,
    closedAccounts: closedAccounts.map(({ account, ...closed }) => ({
      ...closed,
      account: { ...account, account: { ...account.account, proveByIndex: null } },
    })),
  });
  const copyOf = ({ transactions }: PushSubscriber) =>
    [...transactions]
      .map(([key, transaction]) => [key, withoutQueued(transaction)] as const)
      .sort(([one], [other]) => one.localeCompare(other, 'en', { numeric: true }));

  it('replaces it without a failed request or an older slot, and subscribers have the same copy', async () => {
    const tables = readingCalls(ledger.oracle).filter(({ method }) => !method.startsWith('getTransaction'));
    const watcher = new SlotWatcher(link.url, [...tables, PROOFS]);
    const subscriber = new PushSubscriber(link.url, 'all', ledger.revealed[0].slot);
    opened.add({ close: () => subscriber.end() });
    let next: ServicesUnderTest | undefined;
    const replace = async () => {
      next = await launch();
      const slot = await pauseBoth(next);
      await expectSamePages(next);
      console.log(`${new Date().toISOString()} both are at slot ${slot}`);
      link.retarget(next.url);
      // Kept connections lead to the old gateway until it has drained.
      await old.stopReaders();
      expect(await slotOf(next)).toBe(slot);
      await next.restart('ingest');
      const { services, after } = { services: next, after: slot + AFTER };
      await eventually('the new index goes on', async () => (await slotOf(services)) > after);
    };
    await ledger.revealWhile(replace());
    await watcher.end();
    console.log(`${watcher.answered} calls answered, ${watcher.failures.length} of them wrong`);
    expect(watcher.failures).toEqual([]);
    expect(await next?.differences()).toEqual([]);

    const fresh = new PushSubscriber(String(next?.url), 'all', ledger.revealed[0].slot);
    opened.add({ close: () => fresh.end() });
    await eventually('both subscribers have the tip', () =>
      Promise.resolve([subscriber, fresh].every(({ slot, failure }) => failure !== null || slot >= ledger.tip)),
    );
    expect([subscriber.failure, fresh.failure]).toEqual([null, null]);
    expect(fresh.transactions.size).toBeGreaterThan(HISTORY);
    expect(copyOf(subscriber)).toEqual(copyOf(fresh));
    expect({ closed: subscriber.closeCodes, rollbacks: subscriber.received.rollback }).toEqual({
      closed: [1012],
      rollbacks: 1,
    });
  });
});
