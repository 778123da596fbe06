import { type DefinedMetric } from '@fresnel/testing/generic';
import { type Breach } from './breach';

/** What queries rely on, by the name of the metric. */
export type Metrics = Record<string, Pick<DefinedMetric, 'type' | 'labels'>>;

export function describeMetrics(defined: readonly DefinedMetric[]): Metrics {
  return Object.fromEntries(defined.map(({ name, type, labels }) => [name, { type, labels }]));
}

/** No metric and no label is gone, and types are the same. Names say the units. */
export function compareMetrics(released: Metrics, now: Metrics): Breach[] {
  return Object.entries(released).flatMap(([name, { type, labels }]): Breach[] => {
    if (!(name in now)) return [{ of: `metric ${name}`, problem: 'is gone' }];
    const present = now[name];
    const missing = labels.filter((label) => !present.labels.includes(label));
    return [
      ...(present.type === type ? [] : [{ of: `type of ${name}`, problem: `was ${type} and is ${present.type}` }]),
      ...missing.map((label) => ({ of: `label ${label} of ${name}`, problem: 'is gone' })),
    ];
  });
}
