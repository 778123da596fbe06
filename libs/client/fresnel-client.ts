import { type Filter, receive, SubscriptionError, type WebSocketClass } from './connection';
import { Delivery, type From } from './delivery';
import { type Message, type Rollback, type SlotReached, type Transaction, type TransactionSummary } from './messages';

const MIN_PAUSE_MS = 250;
const MAX_PAUSE_MS = 30_000;

/** Codes of JSON-RPC after which trying again cannot help: not offered, invalid. */
const FINAL_CODES = new Set([-32600, -32601, -32602]);
const STATE_REFUSES = -32000;

export interface MessagesOptions {
  /** A cursor of an earlier `slot` message, or a slot, which is included. Without it, the subscription begins now. */
  from?: From;
  /** `signatures`: transactions come without accounts. */
  details?: 'full' | 'signatures';
  /** Ends the subscription. */
  signal?: AbortSignal;
}

/** A handler that returns a promise is awaited before the next message is handled. What it throws ends the subscription. */
export interface SubscribeOptions<T extends TransactionSummary> extends MessagesOptions {
  onTransaction: (transaction: T) => unknown;
  onRollback: (rollback: Rollback) => unknown;
  onSlot?: (slot: SlotReached) => unknown;
}

export interface Subscription {
  close(): void;
  /** Resolves after `close`. Rejects with the SubscriptionError of a server that refuses, or with what a handler threw. */
  readonly closed: Promise<void>;
}

/**
 * Subscribes to compressed state so that a receiver can keep an exact copy.
 *
 * **Applied once.** Each transaction that is on the chain and matches the filter is delivered exactly once, in the order of slots and of
 * indexes within a slot, over cuts, restarts of servers, forks and transactions that the index could read only later. A `rollback`
 * takes back what it names: who forgets everything of later slots then, and applies every transaction, has the state of the chain.
 * The client connects again by itself, with growing pauses, at the same or another server of the same index. An `amended` transaction
 * belongs to a slot that was complete before, so it comes out of order, and replaces the one at its place if there is one.
 *
 * **Over restarts of your process**, store the `cursor` of a `slot` message together with what came before it, in one transaction of your
 * database, and pass it as `from`. What came after that message comes again: ignore a (slot, index) that you have, or
 * apply transactions only when their `slot` message arrives. A cursor never expires.
 *
 * Before the first `slot` message there is no cursor: a cut is then a `rollback` to the beginning of the subscription.
 *
 * @example
 * const client = new FresnelClient('ws://127.0.0.1:8784');
 * for await (const message of client.messages({ owners: [owner] }, { from: storedCursor })) { … }
 */
export class FresnelClient {
  private readonly WebSocket: WebSocketClass;

  /**
   * @param url of the gateway, `ws:` or `wss:`
   * @param options.WebSocket for platforms without one, such as Node 20: the class that `ws` exports
   * @throws Error if there is no WebSocket
   */
  constructor(
    private readonly url: string,
    options: { WebSocket?: WebSocketClass } = {},
  ) {
    const found = options.WebSocket ?? (globalThis as { WebSocket?: WebSocketClass }).WebSocket;
    if (!found) throw new Error('this platform has no WebSocket: install "ws" and pass its class as options.WebSocket');
    this.WebSocket = found;
  }

  /** Calls a handler for each message, one at a time. */
  subscribe(
    filter: Filter,
    {
      onTransaction,
      onRollback,
      onSlot,
      signal,
      ...options
    }:
      | (SubscribeOptions<Transaction> & { details?: 'full' })
      | (SubscribeOptions<TransactionSummary> & { details: 'signatures' }),
  ): Subscription {
    const closing = new AbortController();
    const either = signal ? AbortSignal.any([signal, closing.signal]) : closing.signal;
    const run = async () => {
      for await (const message of this.receiveAll(filter, { ...options, signal: either })) {
        if (message.type === 'slot') await onSlot?.(message);
        else if (message.type === 'rollback') await onRollback(message);
        else await onTransaction(message);
      }
    };
    return {
      closed: run(),
      close: () => {
        closing.abort();
      },
    };
  }

  /**
   * The messages of a subscription, until `signal` aborts or the loop is left.
   *
   * @throws SubscriptionError if the server refuses and trying again cannot help
   */
  messages(
    filter: Filter,
    options: MessagesOptions & { details: 'signatures' },
  ): AsyncGenerator<Message<TransactionSummary>, void>;
  messages(filter: Filter, options?: MessagesOptions & { details?: 'full' }): AsyncGenerator<Message, void>;
  messages(filter: Filter, options: MessagesOptions = {}): AsyncGenerator<Message, void> {
    return this.receiveAll(filter, options);
  }

  private async *receiveAll(
    filter: Filter,
    { from, details = 'full', signal = new AbortController().signal }: MessagesOptions,
  ): AsyncGenerator<Message, void> {
    const delivery = new Delivery(from);
    let isFirst = true;
    for (let failures = 0; !signal.aborted; failures++) {
      const rollback = delivery.restart();
      if (rollback) yield rollback;
      try {
        const socket = new this.WebSocket(this.url);
        for await (const message of receive(socket, { filter, from: delivery.from, details }, signal)) {
          failures = 0;
          isFirst = false;
          if (delivery.accept(message)) yield message;
        }
      } catch (error) {
        if (isFinal(error, isFirst ? from : undefined)) throw error;
      }
      await pause(failures, signal);
    }
  }
}

/**
 * A slot that the index does not have is a mistake of the caller. A cursor's slot is not: another server may be a little behind.
 *
 * @param given `from` of the caller, if the server has accepted no subscription so far
 */
function isFinal(error: unknown, given: From | undefined): boolean {
  if (!(error instanceof SubscriptionError)) return true;
  return FINAL_CODES.has(error.code) || (error.code === STATE_REFUSES && typeof given === 'object');
}

/** Waits longer after each failure, and each client for another time. */
async function pause(failures: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const ms = Math.min(MAX_PAUSE_MS, MIN_PAUSE_MS * 2 ** failures) * (0.5 + Math.random() / 2);
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}
