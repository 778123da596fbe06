import { ProjectionStore } from '@fresnel/adapters/store-write';
import { type Filter, type Transaction } from '@fresnel/client';
import { toBase58 } from '@fresnel/domain/primitives';
import {
  ForkingLedger,
  GatewayProcess,
  type LedgerTransaction,
  PushSubscriber,
  startTestGateway,
  type TestGateway,
} from '@fresnel/testing/gateway';
import { byFaultForm, TcpLink, until } from '@fresnel/testing/generic';
import { SeededRandom } from '@fresnel/testing/simulation';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';

const ROUNDS = byFaultForm({ short: 3, long: 200 });
const STEPS = 40;
const MINUTES = byFaultForm({ short: 4, long: 60 });
const GOING_AWAY = 1012;

type Matches = (transaction: LedgerTransaction) => boolean;

function filtersOf(ledger: ForkingLedger): [Filter, Matches][] {
  const [a, b] = ledger.owners.map((owner) => toBase58(owner));
  const ofOwner =
    (owner: string): Matches =>
    ({ owners }) =>
      owners.includes(owner);
  return [
    ['all', () => true],
    [{ owners: [a] }, ofOwner(a)],
    // Finds them by reading all transactions.
    [{ owners: [b], hashes: [a] }, ofOwner(b)],
  ];
}

const shown = ({ slot, index, signature, openedAccounts, closedAccounts }: Transaction) => ({
  key: `${slot}/${index}`,
  signature,
  opened: openedAccounts.map(({ account }) => account.hash),
  closed: closedAccounts.map(({ account }) => account.account.hash),
});

const inOrder = (one: { key: string }, other: { key: string }) =>
  one.key.localeCompare(other.key, 'en', { numeric: true });

/** Waits until a subscriber has exactly what its filter matches. */
async function expectCopy(subscriber: PushSubscriber, ledger: ForkingLedger, matches: Matches): Promise<void> {
  const expected = ledger
    .transactions()
    .filter(matches)
    .map(({ key, signature, opened, closed }) => ({ key, signature, opened, closed }));
  const received = () => [...subscriber.transactions.values()].map(shown).sort(inOrder);
  const isSame = () =>
    subscriber.failure !== null ||
    (subscriber.slot >= ledger.tip && JSON.stringify(received()) === JSON.stringify(expected));
  // What differs says more than that the time is over.
  await until(isSame).catch(() => undefined);
  expect(subscriber.failure).toBeNull();
  expect(received()).toEqual(expected);
  expect(subscriber.slot).toBeGreaterThanOrEqual(ledger.tip);
}

describe('copies of subscribers', () => {
  let database: TestDatabase;
  /** The one address of all gateways. */
  let link: TcpLink;
  let store: ProjectionStore;
  const gateways: TestGateway[] = [];
  const subscribers: PushSubscriber[] = [];
  beforeAll(async () => {
    database = await createTestDatabase();
    store = new ProjectionStore(database.dataSource);
    for (let count = 0; count < 2; count++) gateways.push(await startTestGateway({ databaseUrl: database.url }));
    link = await TcpLink.to(gateways[0].url);
  });
  afterEach(async () => {
    await Promise.all(subscribers.splice(0).map((subscriber) => subscriber.end()));
    await database.empty();
  });
  afterAll(async () => {
    await link.cut();
    for (const gateway of gateways) await gateway.close();
    await database.drop();
  });

  const persist = (ledger: ForkingLedger) =>
    store.persistSlots({ slots: ledger.next(), chainTip: null, position: null });
  function subscribeTo(ledger: ForkingLedger): PushSubscriber[] {
    subscribers.push(...filtersOf(ledger).map(([filter]) => new PushSubscriber(link.url, filter, ledger.firstSlot)));
    return subscribers;
  }

  /** Another gateway takes the new connections, and the first one is replaced. */
  async function deploy(): Promise<void> {
    const [old, other] = gateways;
    link.retarget(other.url);
    await old.close();
    gateways.splice(0, 2, other, await startTestGateway({ databaseUrl: database.url }));
  }

  async function hurt(subscriber: PushSubscriber, random: SeededRandom): Promise<void> {
    const fault = random.below(12);
    if (subscriber.isFrozen) {
      if (fault < 4) subscriber.thaw();
      else if (fault < 6) await subscriber.kill();
      return;
    }
    if (fault === 0) subscriber.cut();
    if (fault === 1) await subscriber.kill();
    if (fault === 2) subscriber.freeze();
    if (fault === 3 || fault === 4) subscriber.store();
  }

  async function playRound(seed: number): Promise<PushSubscriber['received'] & { connections: number }> {
    const random = new SeededRandom(seed);
    const ledger = new ForkingLedger(random);
    await persist(ledger);
    subscribeTo(ledger);
    for (let step = 0; step < STEPS; step++) {
      await persist(ledger);
      const reading = random.pick(subscribers);
      // Otherwise the ledger would be complete before the first of them has connected again.
      if (!reading.isFrozen && random.chance(0.3))
        await until(() => reading.failure !== null || reading.slot >= ledger.tip);
      for (const subscriber of subscribers) await hurt(subscriber, random);
      link.retarget(random.pick(gateways).url);
      if (random.chance(0.03)) await deploy();
    }
    for (const [at, [, matches]] of filtersOf(ledger).entries()) {
      subscribers[at].thaw();
      await expectCopy(subscribers[at], ledger, matches);
    }
    const [{ received, connections }] = subscribers;
    await Promise.all(subscribers.splice(0).map((subscriber) => subscriber.end()));
    await database.empty();
    return { ...received, connections };
  }

  it(
    `are those of the chain, after cuts, kills, forks, late additions and replaced gateways, ${ROUNDS} times`,
    async () => {
      const totals = { transaction: 0, amended: 0, rollback: 0, slot: 0, connections: 0 };
      for (let seed = 1; seed <= ROUNDS; seed++) {
        const counts = await playRound(seed).catch((error: unknown) => {
          throw new Error(`round ${seed}`, { cause: error });
        });
        for (const name of Object.keys(totals) as (keyof typeof totals)[]) totals[name] += counts[name];
      }
      // Each of them has been put to the test.
      for (const count of Object.values(totals)) expect(count).toBeGreaterThanOrEqual(ROUNDS);
    },
    MINUTES * 60_000,
  );

  it('are those of the chain when another gateway process takes over, and the first one drains', async () => {
    const ledger = new ForkingLedger(new SeededRandom(1));
    const [first, second] = await Promise.all([GatewayProcess.start(database.url), GatewayProcess.start(database.url)]);
    try {
      link.retarget(first.url);
      await persist(ledger);
      subscribeTo(ledger);
      for (let step = 0; step < STEPS; step++) {
        await persist(ledger);
        if (step !== STEPS / 2) continue;
        await until(() => subscribers.every(({ slot }) => slot >= ledger.tip));
        link.retarget(second.url);
        // Slots go on while it drains.
        const stopped = first.stop();
        await persist(ledger);
        await stopped;
      }
      for (const [at, [, matches]] of filtersOf(ledger).entries()) {
        await expectCopy(subscribers[at], ledger, matches);
        expect(subscribers[at].closeCodes).toEqual([GOING_AWAY]);
      }
    } finally {
      await Promise.all([first.stop(), second.stop()]);
    }
  });
});
