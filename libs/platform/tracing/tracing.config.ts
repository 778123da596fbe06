import { makeValidator } from 'envalid';
import { address, type ConfigOf, oneOf, text } from '../config';
import { secret } from '../secret-files';

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

export type SamplerName = (typeof SAMPLERS)[number];

/** A number from 0 to 1. */
const ratio = makeValidator<number>((value) => {
  const number = /^\d*\.?\d+$/.test(value) ? Number(value) : NaN;
  if (!(number >= 0 && number <= 1)) throw new Error('must be a number from 0 to 1');
  return number;
});

/** Environment variables of traces, with the names of OpenTelemetry. Without an endpoint there are none. */
export const TRACING_CONFIG = {
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    ...address(
      'http:',
      'https:',
    )({ default: undefined, desc: 'Collector of traces, OTLP over HTTP, without /v1/traces' }),
    defaultInWords: 'none: no traces',
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    ...address('http:', 'https:')({ default: undefined, desc: 'Collector of traces, the whole URL' }),
    defaultInWords: 'OTEL_EXPORTER_OTLP_ENDPOINT and /v1/traces',
  },
  OTEL_EXPORTER_OTLP_HEADERS: secret(
    text({ default: undefined, desc: 'Headers of requests to the collector: name=value, separated by commas' }),
  ),
  OTEL_SERVICE_NAME: {
    ...text({ default: undefined, desc: 'Name of the service in traces' }),
    defaultInWords: 'the name of the service in logs',
  },
  OTEL_TRACES_SAMPLER: oneOf(SAMPLERS)({
    default: 'parentbased_always_on',
    desc: `Which traces are recorded: ${SAMPLERS.join(', ')}`,
  }),
  OTEL_TRACES_SAMPLER_ARG: ratio({
    default: 1,
    desc: 'Share of traces that a sampler with traceidratio records, from 0 to 1',
  }),
};

export type TracingConfig = ConfigOf<typeof TRACING_CONFIG>;
