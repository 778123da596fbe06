import { EventEmitter, once } from 'node:events';
import { type AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

/** A call of a subscription method, and the connection that sent it. */
export interface SubscriptionCall {
  id: unknown;
  method: string;
  params: unknown[];
  socket: WebSocket;
  /** The subscription that the node has made of it. */
  subscription: number;
}

/** The WebSocket of a Solana node: numbers subscriptions, and notifies when a test says so. */
export class FakeSubscriptions {
  /** Oldest first. */
  readonly calls: SubscriptionCall[] = [];
  /** The answer to the next calls instead of a subscription, with `id` to be filled in. */
  answer: object | null = null;
  /** Called after each call was answered. */
  onCall: (call: SubscriptionCall) => void = () => undefined;
  private readonly arrivals = new EventEmitter();
  private lastSubscription = 5_000;

  private constructor(private readonly server: WebSocketServer) {}

  static async start(port = 0): Promise<FakeSubscriptions> {
    const server = new WebSocketServer({ port, host: '127.0.0.1' });
    const node = new FakeSubscriptions(server);
    server.on('connection', (socket) => {
      socket.on('error', () => undefined);
      socket.on('message', (data: Buffer) => {
        node.receive(socket, data.toString());
      });
    });
    await once(server, 'listening');
    return node;
  }

  get url(): string {
    return `ws://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  /** The open connections. */
  get sockets(): WebSocket[] {
    return [...this.server.clients];
  }

  /** Waits until a method was called `times` times. @returns the last of these calls */
  async waitForCall(method: string, times = 1): Promise<SubscriptionCall> {
    for (;;) {
      const found = this.calls.filter((call) => call.method === method);
      if (found.length >= times) return found[times - 1];
      await once(this.arrivals, 'call');
    }
  }

  /** Sends a notification of a subscription. */
  notify({ method, socket, subscription }: SubscriptionCall, result: unknown): void {
    const name = method.replace('Subscribe', 'Notification');
    socket.send(JSON.stringify({ jsonrpc: '2.0', method: name, params: { result, subscription } }));
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    for (const socket of this.server.clients) socket.terminate();
    this.server.close();
    await closed;
  }

  private receive(socket: WebSocket, text: string): void {
    const { id, method, params } = JSON.parse(text) as Omit<SubscriptionCall, 'socket' | 'subscription'>;
    const subscription = ++this.lastSubscription;
    const call = { id, method, params, socket, subscription };
    this.calls.push(call);
    const result = method.endsWith('Subscribe') ? subscription : true;
    socket.send(JSON.stringify({ jsonrpc: '2.0', ...(this.answer ?? { result }), id }));
    this.arrivals.emit('call');
    this.onCall(call);
  }
}
