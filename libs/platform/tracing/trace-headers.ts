import { context, propagation, ROOT_CONTEXT, type SpanContext, type TextMapGetter, trace } from '@opentelemetry/api';
import { recordsSpans } from './spans';

/** Headers of a request or a record, by lower-case name. */
export type TraceHeaders = Readonly<Record<string, { toString(): string } | undefined>>;

const GETTER: TextMapGetter<TraceHeaders> = {
  keys: (headers) => Object.keys(headers),
  get: (headers, name) => headers[name]?.toString(),
};

/** The active span as the headers `traceparent` and `tracestate` of W3C. Empty outside of spans, and while tracing is off. */
export function traceHeaders(): Record<string, string> {
  const headers: Record<string, string> = {};
  propagation.inject(context.active(), headers);
  return headers;
}

/** Runs work whose spans are children of the span that headers name. If they name none, its spans have no parent. */
export function withRemoteParent<Result>(headers: TraceHeaders, run: () => Result): Result {
  return recordsSpans() ? context.with(propagation.extract(ROOT_CONTEXT, headers, GETTER), run) : run();
}

/** The span that headers name; undefined if they name none, and while tracing is off. */
export function remoteSpan(headers: TraceHeaders): SpanContext | undefined {
  return trace.getSpanContext(propagation.extract(ROOT_CONTEXT, headers, GETTER));
}
