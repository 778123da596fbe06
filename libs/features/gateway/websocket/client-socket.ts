import { type NodeSockets } from '@fresnel/adapters/chain';
import { type RateLimiter } from '@fresnel/adapters/rate-limit';
import { NODE_COST } from '@fresnel/contracts/rpc';
import { after, sleep, type Timer } from '@fresnel/platform/time';
import type WebSocket from 'ws';
import { type ClientSubscriptions, PUSH_COSTS, type PushService } from '../push/client-subscriptions';
import { type PushChannel } from '../push/push-channel';
import { failureText } from '../responses/response-text';
import { METHOD_NOT_FOUND } from '../responses/rpc-failure';
import { type ClientCall, readClientFrame } from './client-call';
import { type ClientChannel, NODE_SUBSCRIPTION_METHODS, NodeSubscriptions } from './node-subscriptions';

/** Why the gateway closes a connection. After all of these, clients of Solana connect again and repeat their subscriptions. */
export const CLOSE = {
  /** A frame is no JSON object. */
  unreadable: 1008,
  /** The gateway is shutting down, or the index was replaced. */
  restart: 1012,
  /** The Solana node has closed its connection. */
  nodeGone: 1013,
  /** The client reads too slowly. */
  tooSlow: 4001,
  /** The client goes on subscribing above its limits. */
  limit: 4029,
} as const;

/** At this size of unsent notifications, no more are taken from the node. */
const MAX_UNSENT_BYTES = 1024 * 1024;
const MAX_SLOW_MS = 10_000;
/** At this size of unsent notifications, the next page of old slots is read. */
const LITTLE_UNSENT_BYTES = 256 * 1024;
/** So many calls are refused because of limits on subscriptions before the connection is closed. */
const MAX_REFUSED = 100;
/** A peer that does not answer the end of a connection in this time is cut off. */
const CLOSE_TIMEOUT_MS = 1_000;

export interface ClientSocketOptions {
  client: string;
  /** Null: no limit. */
  limiter: RateLimiter | null;
  /** Null: nothing is forwarded to a node. */
  node: NodeSockets | null;
  push: PushService;
  maxSubscriptions: number;
  /** Called when the gateway closes the connection. */
  onClose?: (code: number) => void;
}

/**
 * Answers the calls of one connection, by method. It reads no further call while the client has no points: the client then waits,
 * because a refused subscription would only be tried again.
 */
export class ClientSocket implements ClientChannel, PushChannel {
  private readonly closed = new AbortController();
  private readonly nodeSubscriptions: NodeSubscriptions | null;
  private readonly pushed: ClientSubscriptions;
  /** Resolves when all calls that were read have their points. */
  private reading = Promise.resolve();
  private unread = 0;
  private isAlive = true;
  private slow: Timer | null = null;
  private refused = 0;
  /** To call when the client has read most of what was sent. */
  private readers: (() => void)[] = [];

  constructor(
    private readonly socket: WebSocket,
    private readonly options: ClientSocketOptions,
  ) {
    const { node, maxSubscriptions, push } = options;
    this.nodeSubscriptions = node && new NodeSubscriptions(this, node, maxSubscriptions);
    this.pushed = push.open(this);
    socket.on('message', (data: Buffer, isBinary) => {
      this.receive(isBinary ? '' : data.toString());
    });
    socket.on('pong', () => (this.isAlive = true));
    // An error closes the socket.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.closed.abort();
      this.slow?.cancel();
      this.nodeSubscriptions?.close();
      this.pushed.close();
      this.wakeReaders();
    });
  }

  get client(): string {
    return this.options.client;
  }

  get signal(): AbortSignal {
    return this.closed.signal;
  }

  /** Those at the Solana node. */
  get forwardedSubscriptions(): number {
    return this.nodeSubscriptions?.count ?? 0;
  }

  get isClogged(): boolean {
    return this.slow !== null;
  }

  async waitUntilRead(): Promise<void> {
    if (this.closed.signal.aborted || this.socket.bufferedAmount <= LITTLE_UNSENT_BYTES) return;
    await new Promise<void>((resolve) => this.readers.push(resolve));
  }

  charge(points: number): void {
    void this.options.limiter?.charge(this.options.client, points);
  }

  send(text: string | Buffer): void {
    this.socket.send(text, { binary: false }, () => {
      this.noteSent();
    });
    if (this.slow || this.socket.bufferedAmount <= MAX_UNSENT_BYTES) return;
    this.nodeSubscriptions?.pause();
    this.slow = after(MAX_SLOW_MS, () => {
      this.close(CLOSE.tooSlow);
    });
  }

  restart(): void {
    this.close(CLOSE.restart);
  }

  endByNode(): void {
    this.close(CLOSE.nodeGone);
  }

  /** The reason is the cursor from which the client can continue, if it has one subscription to compressed accounts. */
  close(code: (typeof CLOSE)[keyof typeof CLOSE]): void {
    if (this.closed.signal.aborted || this.socket.readyState !== this.socket.OPEN) return;
    this.pushed.finish();
    this.socket.close(code, this.pushed.cursor);
    this.pushed.close();
    this.options.onClose?.(code);
    const timer = after(CLOSE_TIMEOUT_MS, () => {
      this.socket.terminate();
    });
    this.socket.once('close', () => {
      timer.cancel();
    });
  }

  /** Asks both sides for a sign of life, and closes a connection that has shown none since the last time. */
  checkAlive(): void {
    this.nodeSubscriptions?.checkAlive();
    if (this.socket.isPaused) return;
    if (!this.isAlive) this.socket.terminate();
    this.isAlive = false;
    this.socket.ping();
  }

  private noteSent(): void {
    if (this.readers.length > 0 && this.socket.bufferedAmount <= LITTLE_UNSENT_BYTES) this.wakeReaders();
    if (!this.slow || this.socket.bufferedAmount > MAX_UNSENT_BYTES) return;
    this.slow.cancel();
    this.slow = null;
    this.nodeSubscriptions?.resume();
  }

  private wakeReaders(): void {
    for (const wake of this.readers.splice(0)) wake();
  }

  private receive(text: string): void {
    const frame = readClientFrame(text);
    if (frame.kind === 'notification') return;
    if (frame.kind === 'unreadable') {
      this.close(CLOSE.unreadable);
      return;
    }
    this.unread++;
    this.socket.pause();
    this.reading = this.reading.then(async () => {
      await this.takePoints(frame.kind === 'call' ? this.pointsOf(frame.call) : 1);
      if (this.socket.readyState !== this.socket.OPEN) return;
      if (--this.unread === 0) this.socket.resume();
      if (frame.kind === 'invalid') this.send(failureText(frame.id, frame.failure));
      else void this.answer(frame.call);
    });
  }

  private pointsOf({ method }: ClientCall): number {
    return PUSH_COSTS.get(method) ?? (this.isForwarded(method) ? NODE_COST.pointsOf(undefined) : 1);
  }

  private isForwarded(method: string): boolean {
    return this.nodeSubscriptions !== null && NODE_SUBSCRIPTION_METHODS.has(method);
  }

  private async answer(call: ClientCall): Promise<void> {
    if (PUSH_COSTS.has(call.method)) {
      const isRefused = !(await this.pushed.answer(call, this.forwardedSubscriptions));
      if (isRefused && ++this.refused >= MAX_REFUSED) this.close(CLOSE.limit);
    } else if (this.nodeSubscriptions && NODE_SUBSCRIPTION_METHODS.has(call.method)) {
      await this.nodeSubscriptions.forward(call);
    } else this.send(failureText(call.id, METHOD_NOT_FOUND));
  }

  /** Resolves when the client has the points, or has left. */
  async takePoints(points: number): Promise<void> {
    const { limiter, client } = this.options;
    while (limiter && !this.closed.signal.aborted) {
      const { isGranted, resetSeconds } = await limiter.consume(client, Math.min(points, limiter.limit.points));
      if (isGranted) return;
      await sleep(resetSeconds * 1_000, this.closed.signal).catch(() => undefined);
    }
  }
}
