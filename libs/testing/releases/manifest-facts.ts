import { type Manifest } from '@fresnel/testing/k8s';
import { type Breach } from './breach';

/** Kustomize adds a digest of its content to the name of a ConfigMap. */
const CONTENT_DIGEST = /-[0-9a-z]{10}$/;

/** What overlays, clusters and their administrators rely on. */
interface ManifestFacts {
  /** Stay: resources, and their labels, selectors, keys, containers and ports. */
  kept: string[];
  /** Exist in a cluster already: none may be added. */
  needed: string[];
}

/** No resource, label, selector, key of a ConfigMap, container or port is gone, and no other Secret is needed. */
export function compareManifests(released: readonly Manifest[], now: readonly Manifest[]): Breach[] {
  const [before, after] = [collectFacts(released), collectFacts(now)];
  const gone = before.kept.filter((fact) => !after.kept.includes(fact));
  const added = after.needed.filter((fact) => !before.needed.includes(fact));
  return [
    ...gone.map((of) => ({ of, problem: 'is gone' })),
    ...added.map((of) => ({ of, problem: 'is needed and was not' })),
  ];
}

function collectFacts(manifests: readonly Manifest[]): ManifestFacts {
  return {
    kept: [...new Set(manifests.flatMap(listKept))],
    needed: [...new Set(manifests.flatMap(listSecrets))],
  };
}

function listKept({ kind, metadata, data = {}, spec }: Manifest): string[] {
  const resource = `${kind} ${kind === 'ConfigMap' ? metadata.name.replace(CONTENT_DIGEST, '') : metadata.name}`;
  const { template, jobTemplate, ports = [] } = spec ?? {};
  const pod = template ?? jobTemplate?.spec.template;
  const containers = [...(pod?.spec.initContainers ?? []), ...(pod?.spec.containers ?? [])];
  return [
    resource,
    ...pairsOf(metadata.labels).map((label) => `label ${label} of ${resource}`),
    ...pairsOf(pod?.metadata.labels).map((label) => `label ${label} of pods of ${resource}`),
    ...(spec?.selector ? [`selector ${JSON.stringify(spec.selector)} of ${resource}`] : []),
    ...(spec?.podSelector ? [`selector ${JSON.stringify(spec.podSelector)} of ${resource}`] : []),
    ...Object.keys(data).map((key) => `key ${key} of ${resource}`),
    ...ports.map(({ name, port }) => `port ${name} ${port} of ${resource}`),
    ...containers.flatMap(({ name, ports: own = [] }) => [
      `container ${name} of ${resource}`,
      ...own.map((port) => `port ${port.name} ${port.containerPort} of container ${name} of ${resource}`),
    ]),
  ];
}

function pairsOf(labels: Record<string, string> = {}): string[] {
  return Object.entries(labels).map(([name, value]) => `${name}=${value}`);
}

/** The Secrets that pods mount, with the keys that they name. */
function listSecrets({ spec }: Manifest): string[] {
  const pod = spec?.template ?? spec?.jobTemplate?.spec.template;
  return (pod?.spec.volumes ?? []).flatMap(({ secret, projected }) => {
    const sources = [
      ...(secret ? [{ ...secret, name: secret.secretName }] : []),
      ...(projected?.sources.flatMap((source) => source.secret ?? []) ?? []),
    ];
    return sources.flatMap(({ name, items = [] }) => [
      `Secret ${name}`,
      ...items.map(({ key }) => `key ${key} of Secret ${name}`),
    ]);
  });
}
