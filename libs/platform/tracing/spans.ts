import { FresnelError, messageOf } from '@fresnel/domain/primitives';
import {
  type Attributes,
  INVALID_SPAN_CONTEXT,
  isSpanContextValid,
  type Link,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
} from '@opentelemetry/api';
import { redact } from '../redaction';
import { VERSION } from '../version';

export { type Span, type SpanContext } from '@opentelemetry/api';

export interface SpanDetails {
  /** Default: work inside the process. */
  kind?: keyof typeof KINDS;
  attributes?: Attributes;
  /** When the work has started, in Unix milliseconds. Default: now. */
  startedAt?: number;
}

/** Work that has ended, in Unix milliseconds. */
export interface Period {
  startedAt: number;
  endedAt: number;
}

const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

/** The most links of a span. More are rarely shown, and the SDK drops them. */
const MAX_LINKS = 128;

const TRACER = trace.getTracer('fresnel', VERSION);
const NO_SPAN = trace.wrapSpanContext(INVALID_SPAN_CONTEXT);

let isRecording = false;

/** Called when this process records spans from now on. */
export function startRecording(): void {
  isRecording = true;
}

/** Whether this process records spans. If not, nothing asks OpenTelemetry: also a span that does nothing copies its context. */
export function recordsSpans(): boolean {
  return isRecording;
}

/**
 * Runs work in a span, a child of the span in which it is called. The span has failed if the work throws.
 *
 * @param name one of few: slots and hashes are attributes
 */
export async function inSpan<Result>(
  name: string,
  { kind = 'internal', attributes, startedAt }: SpanDetails,
  run: (span: Span) => Promise<Result>,
): Promise<Result> {
  if (!isRecording) return run(NO_SPAN);
  const options = { kind: KINDS[kind], attributes, startTime: startedAt };
  return TRACER.startActiveSpan(name, options, async (span) => {
    try {
      return await run(span);
    } catch (error) {
      failSpan(span, typeOf(error), messageOf(error));
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Adds a span for work that has ended, as a child of the active span. */
export function addSpan(name: string, { startedAt, endedAt }: Period): void {
  TRACER.startSpan(name, { startTime: startedAt }).end(endedAt);
}

/** @param type one of few: an error code or the name of a class */
export function failSpan(span: Span, type: string, message?: string): void {
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR, message: message === undefined ? undefined : redact(message) });
}

/** Links a span to recorded spans that led to its work, each once: to the newest, if there are too many. */
export function linkSpans(span: Span, origins: readonly (SpanContext | undefined)[]): void {
  const links = new Map<string, Link>();
  for (const context of origins) {
    if (context && (context.traceFlags & TraceFlags.SAMPLED) !== 0) links.set(context.spanId, { context });
  }
  if (links.size > 0) span.addLinks([...links.values()].slice(-MAX_LINKS));
}

/** The active span; undefined if there is none, and while tracing is off. */
export function activeSpan(): SpanContext | undefined {
  const active = trace.getActiveSpan()?.spanContext();
  return active && isSpanContextValid(active) ? active : undefined;
}

function typeOf(error: unknown): string {
  if (error instanceof FresnelError) return error.code;
  return error instanceof Error ? error.name : 'unknown';
}
