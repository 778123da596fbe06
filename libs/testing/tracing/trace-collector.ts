import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';

/** A span as a collector receives it. Ids are hexadecimal. */
export interface CollectedSpan {
  /** `service.name` of its process. */
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  /** Undefined for the first span of a trace. */
  parentSpanId: string | undefined;
  kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  attributes: Record<string, unknown>;
  links: { traceId: string; spanId: string }[];
  events: string[];
  hasFailed: boolean;
  /** Unix nanoseconds. */
  start: bigint;
  end: bigint;
}

const KINDS = ['internal', 'internal', 'server', 'client', 'producer', 'consumer'] as const;
const FAILED = 2;

/** Receives spans as OTLP over HTTP, in JSON. */
export class TraceCollector {
  readonly spans: CollectedSpan[] = [];
  /** Headers of each request. */
  readonly requests: IncomingHttpHeaders[] = [];
  /** Path and query of each request. */
  readonly urls: (string | undefined)[] = [];

  private constructor(private readonly server: Server) {}

  static async start(): Promise<TraceCollector> {
    const server = createServer((request, response) => {
      void collector.receive(request).then((status) => response.writeHead(status).end('{}'));
    });
    const collector = new TraceCollector(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return collector;
  }

  /** The value of OTEL_EXPORTER_OTLP_ENDPOINT. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The spans of one trace. Those of one process are in the order of their ends. */
  trace(traceId: string): CollectedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId);
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  /** @returns the HTTP status of the response */
  private async receive(request: IncomingMessage): Promise<number> {
    if (request.method !== 'POST' || request.url?.split('?')[0] !== '/v1/traces') return 404;
    this.urls.push(request.url);
    this.requests.push(request.headers);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    this.spans.push(...readSpans(JSON.parse(Buffer.concat(chunks).toString('utf8')) as ExportRequest));
    return 200;
  }
}

/** The parts of an ExportTraceServiceRequest of OTLP that tests need. */
interface ExportRequest {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: { spans: Span[] }[];
  }[];
}

interface Span {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  kind: number;
  attributes: Attribute[];
  links: { traceId: string; spanId: string }[];
  events: { name: string }[];
  status: { code?: number };
  startTimeUnixNano: string;
  endTimeUnixNano: string;
}

interface Attribute {
  key: string;
  value: Record<string, unknown>;
}

function readSpans({ resourceSpans }: ExportRequest): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(readAttributes(resource.attributes)['service.name']);
    return scopeSpans.flatMap(({ spans }) => spans.map((span) => ({ service, ...readSpan(span) })));
  });
}

function readSpan(span: Span): Omit<CollectedSpan, 'service'> {
  const { name, traceId, spanId, parentSpanId, kind, attributes, links, events, status } = span;
  return {
    name,
    traceId,
    spanId,
    parentSpanId,
    kind: KINDS[kind],
    attributes: readAttributes(attributes),
    links: links.map((link) => ({ traceId: link.traceId, spanId: link.spanId })),
    events: events.map((event) => event.name),
    hasFailed: status.code === FAILED,
    start: BigInt(span.startTimeUnixNano),
    end: BigInt(span.endTimeUnixNano),
  };
}

/** A value is an object with one member, which is named after its type. */
function readAttributes(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
