import { inSpan, linkSpans, type Span, type SpanContext } from '@fresnel/platform';

/** Where the records of a batch come from, and who consumes them. Names in the cluster. */
export interface BatchOrigin {
  system: 'kafka' | 'memory';
  topic: string;
  partition: number;
  group: string;
}

/** Decodes and delivers a batch in a span of its own: the batch belongs to the traces of all slots that it contains. */
export function inBatchSpan(origin: BatchOrigin, deliver: (span: Span) => Promise<void>): Promise<void> {
  const { system, topic, partition, group } = origin;
  const attributes = {
    'messaging.system': system,
    'messaging.operation.name': 'process',
    'messaging.operation.type': 'process',
    'messaging.destination.name': topic,
    'messaging.destination.partition.id': String(partition),
    'messaging.consumer.group.name': group,
  };
  return inSpan(`process ${topic}`, { kind: 'consumer', attributes }, deliver);
}

/**
 * Notes that the records of a batch are decoded, and links its span to the spans in which they were published.
 *
 * @param publishers one for each record; undefined if it was published outside of a span
 */
export function linkBatch(span: Span, publishers: readonly (SpanContext | undefined)[]): void {
  span.setAttribute('messaging.batch.message_count', publishers.length);
  span.addEvent('decoded');
  linkSpans(span, publishers);
}
