import { type NodeSockets } from '@fresnel/adapters/chain';
import { type RateLimiter } from '@fresnel/adapters/rate-limit';
import { NODE_COST } from '@fresnel/contracts/rpc';
import { after, sleep, type Timer } from '@fresnel/platform/time';
import type WebSocket from 'ws';
import { failureText } from '../responses/response-text';
import { METHOD_NOT_FOUND } from '../responses/rpc-failure';
import { type ClientCall, readClientFrame } from './client-call';
import { type ClientChannel, NODE_SUBSCRIPTION_METHODS, NodeSubscriptions } from './node-subscriptions';

/** Why the gateway closes a connection. After all of these, clients of Solana connect again and repeat their subscriptions. */
export const CLOSE = {
  unreadable: { code: 1008, reason: 'a frame must be a JSON object' },
  drain: { code: 1012, reason: 'the gateway is shutting down' },
  nodeGone: { code: 1013, reason: 'the Solana node closed the connection' },
  tooSlow: { code: 4001, reason: 'the client reads too slowly' },
} as const;

/** At this size of unsent notifications, no more are taken from the node. */
const MAX_UNSENT_BYTES = 1024 * 1024;
const MAX_SLOW_MS = 10_000;
/** A peer that does not answer the end of a connection in this time is cut off. */
const CLOSE_TIMEOUT_MS = 1_000;

export interface ClientSocketOptions {
  client: string;
  /** Null: no limit. */
  limiter: RateLimiter | null;
  node: NodeSockets;
  maxSubscriptions: number;
}

/**
 * Answers the calls of one connection, by method. It reads no further call while the client has no points: the client then waits,
 * because a refused subscription would only be tried again.
 */
export class ClientSocket implements ClientChannel {
  private readonly closed = new AbortController();
  private readonly nodeSubscriptions: NodeSubscriptions;
  /** Resolves when all calls that were read have their points. */
  private reading = Promise.resolve();
  private unread = 0;
  private isAlive = true;
  private slow: Timer | null = null;

  constructor(
    private readonly socket: WebSocket,
    private readonly options: ClientSocketOptions,
  ) {
    this.nodeSubscriptions = new NodeSubscriptions(this, options.node, options.maxSubscriptions);
    socket.on('message', (data: Buffer, isBinary) => {
      this.receive(isBinary ? '' : data.toString());
    });
    socket.on('pong', () => (this.isAlive = true));
    // An error closes the socket.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.closed.abort();
      this.slow?.cancel();
      this.nodeSubscriptions.close();
    });
  }

  get subscriptions(): number {
    return this.nodeSubscriptions.count;
  }

  send(text: string): void {
    this.socket.send(text, () => {
      this.noteSent();
    });
    if (this.slow || this.socket.bufferedAmount <= MAX_UNSENT_BYTES) return;
    this.nodeSubscriptions.pause();
    this.slow = after(MAX_SLOW_MS, () => {
      this.close(CLOSE.tooSlow);
    });
  }

  endByNode(): void {
    this.close(CLOSE.nodeGone);
  }

  close({ code, reason }: (typeof CLOSE)[keyof typeof CLOSE]): void {
    if (this.closed.signal.aborted) return;
    this.socket.close(code, reason);
    const timer = after(CLOSE_TIMEOUT_MS, () => {
      this.socket.terminate();
    });
    this.socket.once('close', () => {
      timer.cancel();
    });
  }

  /** Asks both sides for a sign of life, and closes a connection that has shown none since the last time. */
  checkAlive(): void {
    this.nodeSubscriptions.checkAlive();
    if (this.socket.isPaused) return;
    if (!this.isAlive) this.socket.terminate();
    this.isAlive = false;
    this.socket.ping();
  }

  private noteSent(): void {
    if (!this.slow || this.socket.bufferedAmount > MAX_UNSENT_BYTES) return;
    this.slow.cancel();
    this.slow = null;
    this.nodeSubscriptions.resume();
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
      const isForwarded = frame.kind === 'call' && NODE_SUBSCRIPTION_METHODS.has(frame.call.method);
      await this.takePoints(isForwarded ? NODE_COST.pointsOf(undefined) : 1);
      if (this.closed.signal.aborted) return;
      if (--this.unread === 0) this.socket.resume();
      if (frame.kind === 'invalid') this.send(failureText(frame.id, frame.failure));
      else this.answer(frame.call);
    });
  }

  private answer(call: ClientCall): void {
    if (NODE_SUBSCRIPTION_METHODS.has(call.method)) void this.nodeSubscriptions.forward(call);
    else this.send(failureText(call.id, METHOD_NOT_FOUND));
  }

  /** Resolves when the client has the points, or has left. */
  private async takePoints(points: number): Promise<void> {
    const { limiter, client } = this.options;
    while (limiter && !this.closed.signal.aborted) {
      const { isGranted, resetSeconds } = await limiter.consume(client, Math.min(points, limiter.limit.points));
      if (isGranted) return;
      await sleep(resetSeconds * 1_000, this.closed.signal).catch(() => undefined);
    }
  }
}
