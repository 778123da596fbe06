import { once } from 'node:events';
import { until } from '@fresnel/testing/generic';
import WebSocket, { type ClientOptions } from 'ws';

/** A notification of a subscription, as the contract names its members. */
interface PushedMessage {
  type: 'transaction' | 'amended' | 'slot' | 'rollback';
  slot: number;
  index?: number;
  signature?: string;
  cursor?: string;
  blockhash?: string | null;
  openedAccounts?: { account: { hash: string } }[];
  closedAccounts?: { account: { account: { hash: string } } }[];
}

interface Frame {
  id?: number;
  result?: unknown;
  error?: { code: number; message: string };
  params?: { subscription: number; result: PushedMessage };
}

/** One connection with subscriptions, which keeps what it receives. */
export class PushConnection {
  readonly frames: Frame[] = [];
  /** Notifications in order. */
  readonly messages: PushedMessage[] = [];
  closed: { code: number; reason: string } | null = null;
  private lastId = 0;

  private constructor(readonly socket: WebSocket) {
    socket.on('error', () => undefined);
    socket.on('close', (code, reason) => (this.closed = { code, reason: reason.toString() }));
    socket.on('message', (data: Buffer) => {
      const frame = JSON.parse(data.toString()) as Frame;
      if (frame.params) this.messages.push(frame.params.result);
      else this.frames.push(frame);
    });
  }

  /** @throws if the connection is refused */
  static async open(url: string, options: ClientOptions = {}): Promise<PushConnection> {
    const connection = new PushConnection(new WebSocket(url.replace(/^http/, 'ws'), options));
    await once(connection.socket, 'open');
    return connection;
  }

  /** Calls a method, and returns the answer. @throws if the connection closes before */
  async call(method: string, params: unknown): Promise<Frame> {
    const id = ++this.lastId;
    this.socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    const find = () => this.frames.find((frame) => frame.id === id);
    await until(() => find() !== undefined || this.closed !== null);
    const answer = find();
    if (!answer) throw new Error(`closed with ${this.closed?.code} before the answer`);
    return answer;
  }

  subscribe(filter: unknown, options: object = {}): Promise<Frame> {
    return this.call('compressionSubscribe', [filter, options]);
  }

  /** Waits until all up to a slot was sent. */
  async waitForSlot(slot: number): Promise<void> {
    await until(() => this.messages.some((message) => message.type === 'slot' && message.slot >= slot));
  }

  /** The notifications in short, such as `transaction 11/0`, without slot messages. */
  get story(): string[] {
    return this.messages.flatMap(({ type, slot, index }) => {
      if (type === 'slot') return [];
      return index === undefined ? [`${type} ${slot}`] : [`${type} ${slot}/${index}`];
    });
  }

  /** The cursor of the last slot message. */
  get cursor(): string {
    return this.messages.findLast(({ type }) => type === 'slot')?.cursor ?? '';
  }

  end(): void {
    this.socket.terminate();
  }
}
