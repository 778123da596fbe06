import { collectDefaultMetrics, Gauge, type GaugeConfiguration, Registry } from 'prom-client';
import { VERSION } from './version';

export { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Buckets, in seconds, for calls of servers and for work of milliseconds to seconds. */
export const SECONDS_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Creates the registry of a process, with the default metrics of Node. Features add their own, named `fresnel_…`. */
export function createRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'fresnel_build_info',
    help: 'The version as a label, always 1',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version: VERSION }, 1);
  return registry;
}

/**
 * Creates a gauge that has no value until it is set: after a restart it is absent from /metrics, instead of 0, until its value
 * is known. `remove` makes it absent again.
 */
export function createLateGauge<Label extends string = string>(configuration: GaugeConfiguration<Label>): Gauge<Label> {
  const gauge = new Gauge(configuration);
  if (!configuration.labelNames?.length) gauge.remove();
  return gauge;
}
