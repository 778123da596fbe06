import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The folder of the repository. */
export const ROOT = resolve(__dirname, '..', '..', '..');
const SCHEMAS = join(ROOT, 'k8s', 'schemas');

/** Kustomizations whose manifests tests check. */
export const KUSTOMIZATIONS = {
  local: join(ROOT, 'k8s', 'overlays', 'local'),
  production: join(ROOT, 'k8s', 'overlays', 'production'),
  productionWithComponents: join(__dirname, 'production-with-components'),
  productionWithRemoteIndex: join(__dirname, 'production-with-remote-index'),
};

type Labels = Record<string, string>;

/** A network policy peer: pods, namespaces or addresses. */
export interface Peer {
  podSelector?: { matchLabels?: Labels };
  namespaceSelector?: { matchLabels?: Labels };
  ipBlock?: { cidr: string };
}

export interface Rule {
  from?: Peer[];
  to?: Peer[];
  ports?: { port: number | string }[];
}

export interface Probe {
  httpGet?: { path: string; port: string };
  tcpSocket?: { port: string };
}

export interface Container {
  name: string;
  image: string;
  args?: string[];
  env?: { name: string; value?: string }[];
  envFrom?: { configMapRef?: { name: string }; secretRef?: { name: string } }[];
  ports?: { name: string; containerPort: number }[];
  resources: { requests: Labels; limits: Labels };
  securityContext: object;
  startupProbe?: Probe;
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  volumeMounts: { name: string; mountPath: string }[];
}

/** A volume, of one Secret or of several. */
export interface Volume {
  secret?: { secretName: string; items?: { key: string }[] };
  projected?: { sources: { secret?: { name: string; items?: { key: string }[] } }[] };
}

export interface PodSpec {
  automountServiceAccountToken: boolean;
  serviceAccountName: string;
  securityContext: object;
  containers: Container[];
  initContainers?: Container[];
  terminationGracePeriodSeconds?: number;
  topologySpreadConstraints?: { topologyKey: string; labelSelector: { matchLabels: Labels } }[];
  volumes: Volume[];
}

interface PodTemplate {
  metadata: { labels: Labels };
  spec: PodSpec;
}

/** A manifest with the fields that tests read. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Labels };
  data?: Labels;
  spec?: {
    replicas?: number;
    strategy?: { type: string };
    clusterIP?: string;
    ports?: { name: string; port: number }[];
    selector?: { matchLabels: Labels };
    template?: PodTemplate;
    jobTemplate?: { spec: { template: PodTemplate } };
    scaleTargetRef?: { name: string };
    maxUnavailable?: number;
    podSelector?: { matchLabels?: Labels };
    policyTypes?: string[];
    ingress?: Rule[];
    egress?: Rule[];
  };
}

/** A workload with its pods. */
export interface Workload {
  name: string;
  manifest: Manifest;
  labels: Labels;
  pod: PodSpec;
}

/** Renders a kustomization. */
export function renderManifests(folder: string): Manifest[] {
  const output = execFileSync(process.execPath, [join(ROOT, 'tools', 'kustomize.mjs'), folder], { encoding: 'utf8' });
  return JSON.parse(output) as Manifest[];
}

/** JSON schemas by API version and kind, and the definitions that they refer to. */
export interface Schemas {
  kinds: Record<string, object>;
  definitions: Record<string, object>;
}

/** @returns the schemas of all kinds that manifests may have */
export function readSchemas(): Schemas {
  const documents = readdirSync(SCHEMAS).map(
    (file) => JSON.parse(readFileSync(join(SCHEMAS, file), 'utf8')) as Schemas,
  );
  return {
    kinds: Object.fromEntries(documents.flatMap(({ kinds }) => Object.entries(kinds))),
    definitions: Object.fromEntries(documents.flatMap(({ definitions }) => Object.entries(definitions))),
  };
}

/** The Deployments, Jobs and CronJobs. */
export function listWorkloads(manifests: readonly Manifest[]): Workload[] {
  return manifests.flatMap((manifest) => {
    const template = manifest.spec?.template ?? manifest.spec?.jobTemplate?.spec.template;
    if (!template) return [];
    return [{ name: manifest.metadata.name, manifest, labels: template.metadata.labels, pod: template.spec }];
  });
}

/** All containers of a pod. */
export function listContainers({ containers, initContainers = [] }: PodSpec): Container[] {
  return [...initContainers, ...containers];
}

/** Bytes of a quantity such as `512Mi`. */
export function toBytes(quantity: string): number {
  const [, digits, unit] = /^(\d+)(Mi|Gi)$/.exec(quantity) ?? [];
  return Number(digits) * (unit === 'Gi' ? 2 ** 30 : 2 ** 20);
}

/** Whether labels match a selector. */
export function matches(labels: Labels, selector: { matchLabels?: Labels } | undefined): boolean {
  return Object.entries(selector?.matchLabels ?? {}).every(([name, value]) => labels[name] === value);
}
