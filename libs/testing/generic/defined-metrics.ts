import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

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
  return listSources(root)
    .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(DEFINITION)])
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
  const names = listSources(root).flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/name: '(fresnel_\w+)'/g)]);
  return names.map(([, name]) => name).sort();
}

function listSources(root: string): string[] {
  return ['apps', 'libs'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !/spec\.ts$|^testing\//.test(file))
      .map((file) => join(root, folder, file)),
  );
}
