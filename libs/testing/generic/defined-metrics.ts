import { readSources } from './sources';

/** A metric as the sources define it. */
export interface DefinedMetric {
  name: string;
  type: 'counter' | 'gauge' | 'histogram';
  labels: string[];
  help: string;
}

const DEFINITION =
  /(?:new (Counter|Gauge|Histogram)|create(?:Late)?(Gauge))(?:<[^(]*>)?\(\{\s*name:\s*'(fresnel_\w+)',\s*help:\s*(?:'([^']*)'|"([^"]*)"),(?:\s*labelNames:\s*\[([^\]]*)\])?/g;

/** Finds all definitions of metrics in the sources of a repository, sorted by name. */
export function findDefinedMetrics(root: string): DefinedMetric[] {
  return readSources(root)
    .flatMap(({ text }) => [...text.matchAll(DEFINITION)])
    .map((match: readonly (string | undefined)[]) => {
      const [, constructed, created, name = '', single, double, labels = ''] = match;
      return {
        name,
        type: (constructed ?? created ?? '').toLowerCase() as DefinedMetric['type'],
        labels: [...labels.matchAll(/'(\w+)'/g)].map(([, label]) => label),
        help: single ?? double ?? '',
      };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Names of metrics anywhere in the sources, to find definitions that are written in another way. */
export function findMetricNames(root: string): string[] {
  const names = readSources(root).flatMap(({ text }) => [...text.matchAll(/name: '(fresnel_\w+)'/g)]);
  return names.map(([, name]) => name).sort();
}
