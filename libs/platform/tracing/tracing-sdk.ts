import { hostname } from 'node:os';
import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  type ExportResult,
  ExportResultCode,
  parseKeyPairsIntoRecord,
  W3CTraceContextPropagator,
} from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { type Endpoint } from '../urls';
import { VERSION } from '../version';
import { startRecording } from './spans';
import { type SamplerName } from './tracing.config';

export interface SdkOptions {
  /** Overrides the name in OTEL_RESOURCE_ATTRIBUTES. */
  serviceName: string | undefined;
  defaultServiceName: string;
  /** Where spans are posted. */
  url: string;
  login: Endpoint['headers'];
  /** `name=value`, separated by commas; values are percent-encoded. */
  headers: string;
  sampler: SamplerName;
  /** Share of recorded traces, from 0 to 1. */
  samplerRatio: number;
  /** Called after each export. @param error undefined if it has succeeded */
  onExport: (error: unknown) => void;
}

export interface Sdk {
  /** Exports all spans that have ended. @throws if that fails */
  shutdown(): Promise<void>;
}

/**
 * Registers the SDK of OpenTelemetry as the one of this process. No other file imports the packages of the SDK: imports are loaded
 * when they are first used, so that a process without traces does not load it.
 */
export function startSdk(options: SdkOptions): Sdk {
  const headers = { ...options.login, ...parseKeyPairsIntoRecord(options.headers) };
  const exporter = new ReportingExporter(new OTLPTraceExporter({ url: options.url, headers }), options.onExport);
  const provider = new TracerProvider({
    resource: describeProcess(options),
    sampler: createSampler(options.sampler, options.samplerRatio),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  useTracerProvider(provider);
  return { shutdown: () => provider.shutdown() };
}

/** Records the spans of this process with a provider, and passes them on in the headers of W3C. */
export function useTracerProvider(provider: TracerProvider): void {
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  startRecording();
}

/** OTEL_RESOURCE_ATTRIBUTES is read by the SDK. */
function describeProcess({ serviceName, defaultServiceName }: SdkOptions): Resource {
  const own = {
    'service.name': defaultServiceName,
    'service.version': VERSION,
    'host.name': hostname(),
    'process.pid': process.pid,
  };
  return defaultResource()
    .merge(resourceFromAttributes(own))
    .merge(detectResources({ detectors: [envDetector] }))
    .merge(resourceFromAttributes(serviceName === undefined ? {} : { 'service.name': serviceName }));
}

function createSampler(name: SamplerName, ratio: number): Sampler {
  switch (name) {
    case 'always_on':
      return new AlwaysOnSampler();
    case 'always_off':
      return new AlwaysOffSampler();
    case 'traceidratio':
      return new TraceIdRatioBasedSampler(ratio);
    case 'parentbased_always_on':
      return new ParentBasedSampler({ root: new AlwaysOnSampler() });
    case 'parentbased_always_off':
      return new ParentBasedSampler({ root: new AlwaysOffSampler() });
    case 'parentbased_traceidratio':
      return new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) });
  }
}

/** Reports the outcome of each export of another exporter. */
class ReportingExporter implements SpanExporter {
  constructor(
    private readonly exporter: SpanExporter,
    private readonly onExport: SdkOptions['onExport'],
  ) {}

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.exporter.export(spans, (result) => {
      const isOk = result.code === ExportResultCode.SUCCESS;
      this.onExport(isOk ? undefined : (result.error ?? new Error('unknown reason')));
      done(result);
    });
  }

  shutdown(): Promise<void> {
    return this.exporter.shutdown();
  }
}
