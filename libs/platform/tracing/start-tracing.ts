import { messageOf } from '@fresnel/domain/primitives';
import { ConfigError } from '../config';
import { addToLines, type Logger } from '../logger';
import { registerSecret } from '../redaction';
import { sleep } from '../time';
import { type Endpoint, toEndpoint } from '../urls';
import { activeSpan } from './spans';
import { startSdk } from './tracing-sdk';
import { type TracingConfig } from './tracing.config';

/** How long a shutdown waits for the collector. */
const FLUSH_TIMEOUT_MS = 2_000;

/** Tracing of this process. */
export interface Tracing {
  /** Exports the spans that have ended. Resolves after a time limit if the collector does not answer. */
  close(): Promise<void>;
}

const OFF: Tracing = { close: () => Promise.resolve() };

/**
 * Starts to record spans and to export them to a collector, if the configuration names one. A collector
 * that does not answer delays nothing: spans wait in a bounded queue, and further ones are dropped.
 *
 * Loggers that are created from now on name the active span in each line.
 *
 * @param service the name of the service in logs
 */
export function startTracing(service: string, config: TracingConfig, logger: Logger): Tracing {
  const endpoint = collectorOf(config);
  if (endpoint === null) return OFF;
  const { url, headers: login } = endpoint;
  const reports = new OutageReports(logger);
  const sdk = startSdk({
    serviceName: config.OTEL_SERVICE_NAME,
    defaultServiceName: service,
    url,
    login,
    headers: config.OTEL_EXPORTER_OTLP_HEADERS ?? '',
    sampler: config.OTEL_TRACES_SAMPLER,
    samplerRatio: config.OTEL_TRACES_SAMPLER_ARG,
    onExport: (error) => {
      reports.add(error);
    },
  });
  addToLines(describeActiveSpan);
  logger.info({ collector: new URL(url).host }, 'exporting traces');
  return {
    close: async () => {
      await Promise.race([sdk.shutdown().catch(() => undefined), sleep(FLUSH_TIMEOUT_MS)]);
      reports.end();
    },
  };
}

/** @returns null without a collector @throws ConfigError if it would get two logins */
function collectorOf(config: TracingConfig): Endpoint | null {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: whole } = config;
  const text = whole ?? base;
  if (text === undefined) return null;
  registerSecret(text);
  const endpoint = toEndpoint(text, whole === undefined ? 'v1/traces' : '');
  const hasHeader = /(^|,)\s*authorization\s*=/i.test(config.OTEL_EXPORTER_OTLP_HEADERS ?? '');
  if (hasHeader && endpoint.headers.authorization !== undefined) {
    throw new ConfigError('the URL of the collector has a login, and OTEL_EXPORTER_OTLP_HEADERS has one, too');
  }
  return endpoint;
}

/** The names of these members are those of OpenTelemetry. */
function describeActiveSpan(): object {
  const span = activeSpan();
  return span ? { trace_id: span.traceId, span_id: span.spanId } : {};
}

/** Logs the first export of a series that fails, and the first that succeeds again. */
class OutageReports {
  private isFailing = false;
  private hasEnded = false;

  constructor(private readonly logger: Logger) {}

  /** @param error of an export; undefined if it has succeeded */
  add(error: unknown): void {
    if (this.hasEnded) return;
    const isOk = error === undefined;
    if (!isOk && !this.isFailing)
      this.logger.warn({ reason: messageOf(error) }, 'traces cannot be exported, they are dropped');
    if (isOk && this.isFailing) this.logger.info('traces are exported again');
    this.isFailing = !isOk;
  }

  /** Logs nothing from now on: exports that a shutdown did not wait for still end. */
  end(): void {
    this.hasEnded = true;
  }
}
