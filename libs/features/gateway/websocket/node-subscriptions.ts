import { type NodeSockets } from '@fresnel/adapters/chain';
import type WebSocket from 'ws';
import { requireExact } from '../methods/forwarded.method';
import { failureOf } from '../responses/failure-of';
import { failureText, successText } from '../responses/response-text';
import { NODE_UNAVAILABLE, TOO_MANY_SUBSCRIPTIONS } from '../responses/rpc-failure';
import { type ClientCall } from './client-call';
import { readNodeMessage } from './node-message';

/** What clients subscribe to at a Solana node. */
const SUBJECTS = ['account', 'logs', 'program', 'signature', 'slot'];

/** The methods that are forwarded. */
export const NODE_SUBSCRIPTION_METHODS: ReadonlySet<string> = new Set(
  SUBJECTS.flatMap((subject) => [`${subject}Subscribe`, `${subject}Unsubscribe`]),
);

/** The connection to a client. */
export interface ClientChannel {
  send(text: string): void;
  /** The client has to connect again: the node has closed its side. */
  endByNode(): void;
}

/**
 * The subscriptions of one client at the Solana node, on a connection of their own, which is opened for the first of them. They
 * end with it, and the client's connection as well.
 */
export class NodeSubscriptions {
  private readonly pending = new Map<number, ClientCall>();
  /** As the node numbers them. */
  private readonly subscriptions = new Set<number>();
  private opening: Promise<WebSocket> | null = null;
  private socket: WebSocket | null = null;
  private lastId = 0;
  private isClosed = false;
  private isAlive = true;

  constructor(
    private readonly client: ClientChannel,
    private readonly sockets: NodeSockets,
    private readonly maxSubscriptions: number,
  ) {}

  get count(): number {
    return this.subscriptions.size;
  }

  /** Sends a call to the node, and its answer to the client. Never throws. */
  async forward(call: ClientCall): Promise<void> {
    const id = ++this.lastId;
    if (!this.hasRoomFor(call)) {
      this.client.send(failureText(call.id, TOO_MANY_SUBSCRIPTIONS));
      return;
    }
    try {
      requireExact(call.params);
      this.pending.set(id, call);
      const socket = await (this.opening ??= this.open());
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method: call.method, params: call.params }));
    } catch (error) {
      this.pending.delete(id);
      this.client.send(failureText(call.id, failureOf(error)));
    }
  }

  pause(): void {
    this.socket?.pause();
  }

  resume(): void {
    this.socket?.resume();
  }

  /** Asks for a sign of life, and closes a connection that has shown none since the last time. */
  checkAlive(): void {
    if (!this.socket || this.socket.isPaused) return;
    if (!this.isAlive) this.socket.terminate();
    this.isAlive = false;
    this.socket.ping();
  }

  close(): void {
    this.isClosed = true;
    this.socket?.terminate();
  }

  private hasRoomFor(call: ClientCall): boolean {
    if (!isSubscribe(call)) return true;
    return this.subscriptions.size + [...this.pending.values()].filter(isSubscribe).length < this.maxSubscriptions;
  }

  private async open(): Promise<WebSocket> {
    try {
      const socket = (this.socket = await this.sockets.open());
      socket.on('message', (data: Buffer) => {
        this.receive(data.toString());
      });
      socket.on('pong', () => (this.isAlive = true));
      socket.on('close', () => {
        this.client.endByNode();
      });
      if (this.isClosed) socket.terminate();
      return socket;
    } catch (error) {
      this.opening = null;
      throw error;
    }
  }

  /** An answer is sent before the next message of the node is read: clients drop notifications of subscriptions they do not know yet. */
  private receive(text: string): void {
    const message = readNodeMessage(text);
    if (message?.kind === 'notification') {
      if (message.ended !== null) this.subscriptions.delete(message.ended);
      this.client.send(text);
      return;
    }
    const call = message && this.pending.get(message.id);
    if (!call) return;
    this.pending.delete(message.id);
    if (message.kind === 'result') {
      this.follow(call, message.result);
      this.client.send(String(successText(call.id, message.json)));
    } else {
      this.client.send(failureText(call.id, { ...NODE_UNAVAILABLE, json: message.json }));
    }
  }

  private follow(call: ClientCall, result: unknown): void {
    if (isSubscribe(call)) {
      if (typeof result === 'number') this.subscriptions.add(result);
    } else if (result === true && Array.isArray(call.params)) {
      this.subscriptions.delete(Number(call.params[0]));
    }
  }
}

function isSubscribe({ method }: ClientCall): boolean {
  return method.endsWith('Subscribe');
}
