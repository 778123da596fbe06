import { collectDefaultMetrics, Gauge, type GaugeConfiguration, Registry } from 'prom-client';

export { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Creates the registry of a process, with the default metrics of Node. Features add their own, named `fresnel_…`. */
export function createRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
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
