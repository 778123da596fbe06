import { type Filter, FresnelClient, type Subscription, type Transaction } from '@fresnel/client';
import WebSocket from 'ws';

/** What a subscriber has at a slot, as a client stores it in one transaction of its database. */
interface Checkpoint {
  transactions: ReadonlyMap<string, Transaction>;
  cursor: string | null;
}

const NOTHING: Checkpoint = { transactions: new Map(), cursor: null };

/** Keeps a copy of what a filter matches, with the client. Its connections can be cut and frozen, and its process killed. */
export class PushSubscriber {
  /** By slot and index. */
  transactions = new Map<string, Transaction>();
  /** All up to this slot was received. */
  slot = -1;
  /** What has gone wrong: a transaction came twice, or the server has refused. */
  failure: unknown = null;
  /** How often each type of message came. */
  readonly received = { transaction: 0, amended: 0, rollback: 0, slot: 0 };
  /** The codes with which its connections were closed. */
  readonly closeCodes: number[] = [];
  connections = 0;
  isFrozen = false;
  private latest = NOTHING;
  private stored = NOTHING;
  private socket: WebSocket | null = null;
  private subscription: Subscription | null = null;

  /** @param url of a gateway, `http:` */
  constructor(
    private readonly url: string,
    private readonly filter: Filter,
    private readonly firstSlot: number,
  ) {
    this.start();
  }

  /** Stores what was complete at the last slot message. */
  store(): void {
    this.stored = this.latest;
  }

  cut(): void {
    this.isFrozen = false;
    this.socket?.terminate();
  }

  freeze(): void {
    this.isFrozen = true;
    this.socket?.pause();
  }

  thaw(): void {
    this.isFrozen = false;
    this.socket?.resume();
  }

  /** Loses what was not stored, and starts again. */
  async kill(): Promise<void> {
    await this.end();
    this.start();
  }

  async end(): Promise<void> {
    this.subscription?.close();
    this.cut();
    await this.subscription?.closed.catch(() => undefined);
  }

  private start(): void {
    this.transactions = new Map(this.stored.transactions);
    this.latest = this.stored;
    this.slot = -1;
    const remember = (socket: WebSocket) => {
      this.socket = socket;
      this.connections++;
    };
    const codes = this.closeCodes;
    const client = new FresnelClient(this.url.replace(/^http/, 'ws'), {
      WebSocket: class extends WebSocket {
        constructor(url: string) {
          super(url);
          remember(this);
          this.on('close', (code) => {
            codes.push(code);
          });
        }
      },
    });
    this.subscription = client.subscribe(this.filter, {
      from: this.stored.cursor ?? { slot: this.firstSlot },
      onTransaction: (transaction) => {
        this.apply(transaction);
      },
      onRollback: ({ slot }) => {
        this.received.rollback++;
        for (const [key, held] of this.transactions) if (held.slot > slot) this.transactions.delete(key);
        this.slot = Math.min(this.slot, slot);
      },
      onSlot: ({ slot, cursor }) => {
        this.received.slot++;
        this.slot = slot;
        this.latest = { transactions: new Map(this.transactions), cursor };
      },
    });
    this.subscription.closed.catch((error: unknown) => (this.failure = error));
  }

  private apply(transaction: Transaction): void {
    const key = `${transaction.slot}/${transaction.index}`;
    this.received[transaction.type]++;
    if (transaction.type === 'transaction' && this.transactions.has(key)) throw new Error(`${key} came twice`);
    this.transactions.set(key, transaction);
  }
}
