import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import { type FakeBlock } from '@fresnel/testing/chain';
import { type sendUnaryData, Server, ServerCredentials, type ServerDuplexStream, status } from '@grpc/grpc-js';
import { loadSync, type ServiceDefinition } from '@grpc/proto-loader';
import { toBlockUpdate } from './yellowstone-block';

export interface StreamRequest {
  blocks?: Record<string, { includeTransactions?: boolean; accountInclude?: string[] }>;
  commitment?: string;
  fromSlot?: string;
  ping?: { id: number };
}

/** A subscription that the server received. */
export interface StreamSubscription {
  request: StreamRequest;
  /** The `x-token` of the request. */
  token: string | undefined;
  /** Ids of the answers to pings. */
  pongs: number[];
}

type Call = ServerDuplexStream<StreamRequest, object>;

const PROTO_FOLDER = join(__dirname, '../../adapters/chain/yellowstone/proto');
const PROTO_OPTIONS = { longs: String, enums: String, bytes: Buffer, includeDirs: [PROTO_FOLDER] };

let geyser: ServiceDefinition | undefined;

/** The service of the plugin, with all fields of its messages. It is parsed once in a suite. */
export function loadGeyser(): ServiceDefinition {
  geyser ??= parseGeyser();
  return geyser;
}

function parseGeyser(): ServiceDefinition {
  const definition = loadSync('geyser.proto', PROTO_OPTIONS)['geyser.Geyser'];
  if ('format' in definition) throw new TypeError('geyser.Geyser is not a service');
  return definition;
}

/** Streams blocks like the Yellowstone gRPC plugin of a node, with faults that a test selects. */
export class FakeYellowstone {
  /** All subscriptions, oldest first. */
  readonly subscriptions: StreamSubscription[] = [];
  /** Ends each subscription with this error. */
  subscriptionError: { code: status; details: string } | null = null;
  /** Keeps subscriptions open and sends nothing. */
  isSilent = false;
  /** How `from_slot` is handled: earlier blocks are sent, `from_slot` is ignored, or the subscription is ended. */
  replayMode: 'replays' | 'ignores' | 'refuses' = 'replays';
  /** The oldest slot that a subscription can start from, as the server says it; null: the server does not know the question. */
  firstAvailable: number | null = null;
  /** Only a server that supports version 1 sends the field that identifies such a transaction. */
  supportsVersion1 = true;

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
    server.addService(loadGeyser(), {
      Subscribe: (call: Call) => {
        fake.answer(call);
      },
      SubscribeReplayInfo: (_: unknown, reply: sendUnaryData<object>) => {
        const { firstAvailable } = fake;
        if (firstAvailable === null) reply({ code: status.UNIMPLEMENTED });
        else reply(null, { firstAvailable });
      },
    });
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Sends blocks to all subscribers in the given order, and keeps them for replays. */
  send(blocks: readonly FakeBlock[]): void {
    this.blocks.push(...blocks);
    for (const [call, { request }] of this.calls) this.write(call, request, blocks);
  }

  /** Sends a ping to all subscribers. */
  ping(): void {
    for (const call of this.calls.keys()) call.write({ ping: {} });
  }

  /** Ends all subscriptions, like a server that shuts down. */
  disconnect(): void {
    for (const call of this.calls.keys()) this.end(call, status.UNAVAILABLE, 'server shutdown');
  }

  /** Waits until there were `times` subscriptions. */
  async waitForSubscription(times = 1): Promise<void> {
    await this.waitFor(() => this.subscriptions.length >= times);
  }

  /** Waits until a ping was answered. */
  async waitForPong(): Promise<void> {
    await this.waitFor(() => this.subscriptions.some(({ pongs }) => pongs.length > 0));
  }

  /** Waits until no subscription is open. */
  async waitUntilUnsubscribed(): Promise<void> {
    await this.waitFor(() => this.calls.size === 0);
  }

  close(): void {
    this.server.forceShutdown();
  }

  private async waitFor(condition: () => boolean): Promise<void> {
    while (!condition()) await once(this.arrivals, 'change');
  }

  private answer(call: Call): void {
    call.on('data', (request: StreamRequest) => {
      this.receive(call, request);
    });
    for (const event of ['end', 'cancelled', 'close', 'error']) {
      call.on(event, () => {
        this.calls.delete(call);
        this.arrivals.emit('change');
      });
    }
  }

  private receive(call: Call, request: StreamRequest): void {
    const existing = this.calls.get(call);
    if (existing) {
      if (request.ping) existing.pongs.push(request.ping.id);
    } else {
      const token = call.metadata.get('x-token')[0]?.toString();
      const subscription = { request, token, pongs: [] };
      this.subscriptions.push(subscription);
      this.startSending(call, subscription);
    }
    this.arrivals.emit('change');
  }

  private startSending(call: Call, subscription: StreamSubscription): void {
    const { fromSlot } = subscription.request;
    if (this.subscriptionError) {
      this.end(call, this.subscriptionError.code, this.subscriptionError.details);
    } else if (fromSlot !== undefined && this.replayMode === 'refuses') {
      this.end(call, status.INTERNAL, 'from_slot is not supported');
    } else {
      this.calls.set(call, subscription);
      if (fromSlot === undefined || this.replayMode === 'ignores') return;
      const replayed = this.blocks.filter(({ slot }) => slot >= Number(fromSlot));
      this.write(call, subscription.request, replayed);
    }
  }

  private write(call: Call, { blocks: filters = {} }: StreamRequest, blocks: readonly FakeBlock[]): void {
    if (this.isSilent) return;
    const withTransactions = Object.values(filters).some(({ includeTransactions }) => includeTransactions);
    const accountInclude = Object.values(filters).flatMap(({ accountInclude: keys = [] }) => keys);
    for (const block of blocks) {
      const options = { withTransactions, supportsVersion1: this.supportsVersion1, accountInclude };
      call.write(toBlockUpdate(block, options));
    }
  }

  private end(call: Call, code: status, details: string): void {
    this.calls.delete(call);
    call.emit('error', { code, details });
  }
}
