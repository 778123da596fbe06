export { recordSpans } from './recorded-spans';
export { type CollectedSpan, TraceCollector } from './trace-collector';
