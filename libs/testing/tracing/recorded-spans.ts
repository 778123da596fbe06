import { useTracerProvider } from '@fresnel/platform';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';

/** Records the spans of this suite from now on. @returns the spans that have ended; `reset` removes them */
export function recordSpans(): InMemorySpanExporter {
  const exporter = new InMemorySpanExporter();
  useTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }));
  return exporter;
}
