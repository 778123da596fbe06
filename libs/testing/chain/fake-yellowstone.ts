import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import { Server, ServerCredentials, type ServerDuplexStream, status } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { type FakeBlock } from './fake-chain';
import { toBlockUpdate } from './yellowstone-block';

export interface StreamRequest {
  blocks?: Record<string, { includeTransactions?: boolean }>;
  commitment?: string;
  fromSlot?: string;
  ping?: { id: number };
}

/** A subscription as the server saw it begin. */
export interface StreamSubscription {
  request: StreamRequest;
  /** The `x-token` that came along. */
  token: string | undefined;
  /** Answers to pings. */
  pongs: number[];
}

type Call = ServerDuplexStream<StreamRequest, object>;

const PROTO_FOLDER = join(__dirname, '..', '..', 'adapters', 'chain', 'yellowstone', 'proto');
const PROTO_OPTIONS = { longs: String, enums: String, bytes: Buffer, includeDirs: [PROTO_FOLDER] };

/** Streams blocks as the Yellowstone gRPC plugin of a node does, and misbehaves when a test says so. */
export class FakeYellowstone {
  /** Everyone who subscribed, oldest first. */
  readonly subscriptions: StreamSubscription[] = [];
  /** What a subscription is answered with, instead of blocks. */
  refusal: { code: status; details: string } | null = null;
  /** Says nothing to subscribers, and keeps them. */
  isSilent = false;
  /** What becomes of a subscription that wants earlier blocks: they are sent, or not, or it is ended. */
  resuming: 'replays' | 'ignores' | 'refuses' = 'replays';
  /** Only a server that knows version 1 sends what makes such a transaction one. */
  knowsVersion1 = true;

  private readonly blocks: FakeBlock[] = [];
  private readonly calls = new Map<Call, StreamSubscription>();
  private readonly arrivals = new EventEmitter();

  private constructor(
    private readonly server: Server,
    private readonly port: number,
  ) {}

  static async start(): Promise<FakeYellowstone> {
    const server = new Server();
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) => {
        if (error) reject(error);
        else resolve(bound);
      });
    });
    const fake = new FakeYellowstone(server, port);
    const definition = loadSync('geyser.proto', PROTO_OPTIONS)['geyser.Geyser'];
    if ('format' in definition) throw new TypeError('geyser.Geyser is no service');
    server.addService(definition, {
      Subscribe: (call: Call) => {
        fake.answer(call);
      },
    });
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Sends blocks to all subscribers in the order given, whatever it is, and keeps them for later ones. */
  send(blocks: readonly FakeBlock[]): void {
    this.blocks.push(...blocks);
    for (const [call, { request }] of this.calls) this.write(call, request, blocks);
  }

  /** Asks all subscribers whether they are there. */
  ping(): void {
    for (const call of this.calls.keys()) call.write({ ping: {} });
  }

  /** Ends all subscriptions as a server does that goes away. */
  disconnect(): void {
    for (const call of this.calls.keys()) this.end(call, status.UNAVAILABLE, 'the server goes away');
  }

  /** Waits until so many subscriptions have begun. */
  async whenSubscribed(times = 1): Promise<void> {
    await this.when(() => this.subscriptions.length >= times);
  }

  /** Waits until a ping was answered. */
  async whenPonged(): Promise<void> {
    await this.when(() => this.subscriptions.some(({ pongs }) => pongs.length > 0));
  }

  /** Waits until nobody is subscribed any more. */
  async whenLeft(): Promise<void> {
    await this.when(() => this.calls.size === 0);
  }

  close(): void {
    this.server.forceShutdown();
  }

  private async when(isSo: () => boolean): Promise<void> {
    while (!isSo()) await once(this.arrivals, 'change');
  }

  private answer(call: Call): void {
    call.on('data', (request: StreamRequest) => {
      this.receive(call, request);
    });
    for (const over of ['end', 'cancelled', 'close', 'error']) {
      call.on(over, () => {
        this.calls.delete(call);
        this.arrivals.emit('change');
      });
    }
  }

  private receive(call: Call, request: StreamRequest): void {
    const known = this.calls.get(call);
    if (known) {
      if (request.ping) known.pongs.push(request.ping.id);
    } else {
      const token = call.metadata.get('x-token')[0]?.toString();
      const subscription = { request, token, pongs: [] };
      this.subscriptions.push(subscription);
      this.begin(call, subscription);
    }
    this.arrivals.emit('change');
  }

  private begin(call: Call, subscription: StreamSubscription): void {
    const { fromSlot } = subscription.request;
    if (this.refusal) {
      this.end(call, this.refusal.code, this.refusal.details);
    } else if (fromSlot !== undefined && this.resuming === 'refuses') {
      this.end(call, status.INTERNAL, 'from_slot is not supported');
    } else {
      this.calls.set(call, subscription);
      if (fromSlot === undefined || this.resuming === 'ignores') return;
      const wanted = this.blocks.filter(({ slot }) => slot >= Number(fromSlot));
      this.write(call, subscription.request, wanted);
    }
  }

  private write(call: Call, { blocks: filters = {} }: StreamRequest, blocks: readonly FakeBlock[]): void {
    if (this.isSilent) return;
    const withTransactions = Object.values(filters).some(({ includeTransactions }) => includeTransactions);
    for (const block of blocks) {
      call.write(toBlockUpdate(block, { withTransactions, knowsVersion1: this.knowsVersion1 }));
    }
  }

  private end(call: Call, code: status, details: string): void {
    this.calls.delete(call);
    call.emit('error', { code, details });
  }
}
