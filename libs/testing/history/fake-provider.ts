import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';

export interface ProviderRequest {
  path: string;
  body: Record<string, unknown>;
  headers: IncomingHttpHeaders;
  /** When it arrived, by `performance.now`. */
  at: number;
}

export interface ProviderAnswer {
  status?: number;
  headers?: Record<string, string>;
  /** In the parts that are sent, and compressed, one by one. */
  parts?: string[];
}

/** Tests need the format, not the size. */
const FAST = { level: 1 };

/** What the provider does instead of answering. */
export type ProviderFault =
  | ProviderAnswer
  /** Sends this part of the bytes of its answer, from 0 to 1, and closes the connection once they have been read, if it knows when. */
  | { cutAt: number; onceRead?: (bytes: number) => Promise<unknown> }
  /** Answers after a promise has settled. */
  | { until: Promise<unknown> }
  /** Sends the first part of its answer, and nothing else. */
  | 'stall';

/** The HTTP server of a fake provider of history: records requests, and fails as a test plans. */
export class FakeProvider {
  /** Oldest first. */
  readonly requests: ProviderRequest[] = [];
  /** Whether it compresses answers if a request accepts that: each part is a gzip member. */
  compresses = true;
  private readonly faults: ProviderFault[] = [];
  private readonly arrivals = new EventEmitter();

  private constructor(
    private readonly server: Server,
    private readonly answer: (request: ProviderRequest) => ProviderAnswer,
  ) {}

  static async start(answer: (request: ProviderRequest) => ProviderAnswer): Promise<FakeProvider> {
    const server = createServer();
    const provider = new FakeProvider(server, answer);
    server.on('request', (incoming, response) => {
      buffer(incoming)
        .then((body) => {
          const { url = '/', headers } = incoming;
          return provider.serve(
            { path: url, body: JSON.parse(body.toString()), headers, at: performance.now() },
            response,
          );
        })
        .catch((error: unknown) => response.destroy(error as Error));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return provider;
  }

  /** Without a slash at its end. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Plans a fault for the next requests. */
  fail(fault: ProviderFault, times = 1): void {
    for (let planned = 0; planned < times; planned++) this.faults.push(fault);
  }

  /** Waits until so many requests have arrived. */
  async waitForRequests(count: number): Promise<void> {
    while (this.requests.length < count) await once(this.arrivals, 'request');
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private async serve(request: ProviderRequest, response: ServerResponse): Promise<void> {
    this.requests.push(request);
    this.arrivals.emit('request');
    const fault = this.faults.shift();
    if (typeof fault === 'object' && 'until' in fault) await fault.until;
    const isAnswer = typeof fault === 'object' && !('cutAt' in fault || 'until' in fault);
    const { status = 200, headers = {}, parts = [] } = isAnswer ? fault : this.answer(request);
    const isCompressed = this.compresses && /gzip/.test(String(request.headers['accept-encoding']));
    response.writeHead(status, { ...headers, ...(isCompressed ? { 'content-encoding': 'gzip' } : {}) });
    const chunks = parts.map((part) => (isCompressed ? gzipSync(part, FAST) : Buffer.from(part)));
    if (fault === 'stall') return void response.write(chunks[0] ?? '');
    if (typeof fault === 'object' && 'cutAt' in fault) {
      const bytes = Buffer.concat(chunks);
      const sent = bytes.subarray(0, bytes.length * fault.cutAt);
      await new Promise((done) => response.write(sent, done));
      await fault.onceRead?.(sent.length);
      response.destroy();
      return;
    }
    for (const chunk of chunks) await new Promise((sent) => response.write(chunk, sent));
    response.end();
  }
}
