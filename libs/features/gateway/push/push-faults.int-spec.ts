import { ProjectionStore } from '@fresnel/adapters/store-write';
import { toBase58 } from '@fresnel/domain/primitives';
import {
  ForkingLedger,
  type LedgerTransaction,
  PushConnection,
  PushCopy,
  type PushedMessage,
  startTestGateway,
  type TestGateway,
} from '@fresnel/testing/gateway';
import { byFaultForm, until } from '@fresnel/testing/generic';
import { SeededRandom } from '@fresnel/testing/simulation';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';

const ROUNDS = byFaultForm({ short: 5, long: 200 });
const STEPS = 40;
const MINUTES = byFaultForm({ short: 4, long: 60 });

/** A client that is cut, frozen and killed, and continues from its cursor. */
class Subscriber {
  copy = new PushCopy();
  /** What a killed process starts with again. */
  private saved = new PushCopy();
  private connection: PushConnection | null = null;

  constructor(
    readonly filter: unknown,
    private readonly firstSlot: number,
  ) {}

  get isFrozen(): boolean {
    return this.connection?.socket.isPaused ?? false;
  }

  /** Connects if it is not connected, and applies what it has received. */
  async tend(url: string): Promise<void> {
    if (this.connection && !this.connection.closed) {
      this.copy.apply(this.connection);
      return;
    }
    this.leave();
    try {
      const connection = await PushConnection.open(url);
      this.connection = connection;
      await connection.subscribe(this.filter, { from: this.copy.cursor ?? { slot: this.firstSlot } });
    } catch {
      // The gateway has just ended.
      this.leave();
    }
  }

  save(): void {
    this.saved = this.copy.clone();
  }

  freeze(): void {
    this.connection?.socket.pause();
  }

  thaw(): void {
    this.connection?.socket.resume();
  }

  cut(): void {
    this.leave();
  }

  kill(): void {
    this.leave();
    this.copy = this.saved.clone();
  }

  leave(): void {
    if (this.connection) this.copy.apply(this.connection);
    this.connection?.end();
    this.connection = null;
    this.copy.restart();
  }
}

const shown = ({ slot, index, signature, openedAccounts = [], closedAccounts = [] }: PushedMessage) => ({
  key: `${slot}/${index}`,
  signature,
  opened: openedAccounts.map(({ account }) => account.hash),
  closed: closedAccounts.map(({ account }) => account.account.hash),
});

const inOrder = (one: { key: string }, other: { key: string }) =>
  one.key.localeCompare(other.key, 'en', { numeric: true });

describe('copies of subscribers', () => {
  let database: TestDatabase;
  const gateways: TestGateway[] = [];
  beforeAll(async () => {
    database = await createTestDatabase();
    for (let count = 0; count < 2; count++) gateways.push(await startTestGateway({ databaseUrl: database.url }));
  });
  afterAll(async () => {
    for (const gateway of gateways) await gateway.close();
    await database.drop();
  });

  async function replaceGateway(at: number): Promise<void> {
    await gateways[at].close();
    gateways[at] = await startTestGateway({ databaseUrl: database.url });
  }

  async function hurt(subscriber: Subscriber, random: SeededRandom): Promise<void> {
    const fault = random.below(12);
    if (subscriber.isFrozen) {
      if (fault < 4) subscriber.thaw();
      else if (fault < 6) subscriber.kill();
      return;
    }
    if (fault === 0) subscriber.cut();
    if (fault === 1) subscriber.kill();
    if (fault === 2) subscriber.freeze();
    if (fault < 8) await subscriber.tend(random.pick(gateways).url);
    if (fault === 5) subscriber.save();
  }

  async function playRound(seed: number): Promise<void> {
    const random = new SeededRandom(seed);
    const ledger = new ForkingLedger(random);
    const store = new ProjectionStore(database.dataSource);
    const [a, b] = ledger.owners.map((owner) => toBase58(owner));
    const matches = (owners: string[]) => (transaction: LedgerTransaction) =>
      owners.some((owner) => transaction.owners.includes(owner));
    const expectations: [unknown, (transaction: LedgerTransaction) => boolean][] = [
      ['all', () => true],
      [{ owners: [a] }, matches([a])],
      // Finds them by reading all transactions.
      [{ owners: [b], hashes: [a] }, matches([b])],
    ];
    const subscribers = expectations.map(([filter]) => new Subscriber(filter, ledger.firstSlot));
    try {
      for (let step = 0; step < STEPS; step++) {
        await store.persistSlots({ slots: ledger.next(), chainTip: null, position: null });
        for (const subscriber of subscribers) await hurt(subscriber, random);
        if (random.chance(0.02)) await replaceGateway(random.below(gateways.length));
      }
      for (const [at, [, isExpected]] of expectations.entries()) {
        const subscriber = subscribers[at];
        subscriber.thaw();
        const expected = ledger
          .transactions()
          .filter(isExpected)
          .map(({ key, signature, opened, closed }) => ({ key, signature, opened, closed }));
        const received = () => [...subscriber.copy.transactions.values()].map(shown).sort(inOrder);
        const isSame = async () => {
          await subscriber.tend(random.pick(gateways).url);
          return subscriber.copy.slot >= ledger.tip && JSON.stringify(received()) === JSON.stringify(expected);
        };
        await until(isSame).catch((error: unknown) => {
          expect({ seed, slot: subscriber.copy.slot, transactions: received() }).toEqual({
            seed,
            slot: ledger.tip,
            transactions: expected,
          });
          throw error;
        });
      }
    } finally {
      for (const subscriber of subscribers) subscriber.leave();
      await database.empty();
    }
  }

  it(
    `are those of the chain, after cuts, kills, forks, late additions and replaced gateways, ${ROUNDS} times`,
    async () => {
      for (let seed = 1; seed <= ROUNDS; seed++) await playRound(seed);
    },
    MINUTES * 60_000,
  );
});
