import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DRAIN_CONFIG, readConfig, secretNames, SHUTDOWN_DEADLINE_MS } from '@fresnel/platform';
import { Ajv } from 'ajv';
import { APP_SCHEMAS, environmentOf, readAppConfig } from './app-environment';
import {
  KUSTOMIZATIONS,
  listContainers,
  listWorkloads,
  type Manifest,
  matches,
  readSchemas,
  renderManifests,
  toBytes,
  type Workload,
} from './manifests';
import { listPermittedPairs } from './network-pairs';

const SERVICES = ['gateway', 'ingest', 'projector', 'prover', 'prover-writer'];
/** Services that an autoscaler scales. */
const SCALED = ['gateway', 'projector', 'prover'];
/** The part of a container's memory that the JavaScript heap may use. Buffers, threads and code need the rest. */
const MAX_HEAP_SHARE = 0.7;

/** Arrows of the data flow in the README, with the servers of the local overlay. */
const DATA_FLOW = [
  'gateway -> postgres',
  'gateway -> prover',
  'gateway -> redis',
  'ingest -> kafka',
  'ingest -> outside',
  'ingest -> postgres',
  'migrate -> kafka',
  'migrate -> postgres',
  'outside -> gateway',
  'projector -> kafka',
  'projector -> postgres',
  'prover -> redis',
  'prover-writer -> kafka',
  'prover-writer -> postgres',
  'prover-writer -> redis',
];

const rendered = new Map<string, Manifest[]>();

function render(folder: string): Manifest[] {
  const manifests = rendered.get(folder) ?? renderManifests(folder);
  rendered.set(folder, manifests);
  return manifests;
}

const { kinds, definitions } = readSchemas();
const ajv = new Ajv({ strict: false, allErrors: true }).addSchema({ $id: 'k8s', definitions, properties: kinds });

/** @param kind with its API version */
function findErrors(kind: string, manifest: object): unknown[] {
  const validate = ajv.getSchema(`k8s#/properties/${encodeURIComponent(kind.replaceAll('/', '~1'))}`);
  if (!validate) return [`no schema of ${kind}`];
  return validate(manifest) ? [] : (validate.errors ?? []);
}

describe.each(Object.entries(KUSTOMIZATIONS))('the manifests of %s', (_, folder) => {
  let manifests: Manifest[];
  let workloads: Workload[];
  let services: Workload[];
  beforeAll(() => {
    manifests = render(folder);
    workloads = listWorkloads(manifests);
    services = workloads.filter(({ name }) => SERVICES.includes(name));
  });
  const ofKind = (kind: string) => manifests.filter((manifest) => manifest.kind === kind);

  it('conform to the schemas of Kubernetes, KEDA and the Prometheus operator', () => {
    for (const manifest of manifests) {
      const { apiVersion, kind, metadata } = manifest;
      expect([kind, metadata.name, findErrors(`${apiVersion}/${kind}`, manifest)]).toEqual([kind, metadata.name, []]);
    }
  });

  it('contain every service and the migration, in one namespace', () => {
    expect(services.map(({ name }) => name).sort()).toEqual(SERVICES);
    expect(ofKind('Job').map(({ metadata }) => metadata.name)).toEqual(['migrate']);
    const namespaced = manifests.filter(({ kind }) => kind !== 'Namespace');
    expect(new Set(namespaced.map(({ metadata }) => metadata.namespace))).toEqual(new Set(['fresnel']));
  });

  it('enforce the restricted Pod Security Standard, and conform to it', () => {
    const [namespace] = ofKind('Namespace');
    expect(namespace.metadata.labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'restricted' });
    for (const { pod } of workloads) {
      expect(pod.securityContext).toMatchObject({
        runAsNonRoot: true,
        runAsUser: 1000,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(Object.keys(pod)).not.toEqual(expect.arrayContaining([expect.stringMatching(/^host/)]));
      expect(JSON.stringify(pod.volumes)).not.toContain('hostPath');
      for (const container of listContainers(pod)) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
      }
    }
  });

  it('give every workload an account of its own, without a token', () => {
    expect(workloads.map(({ pod }) => pod.serviceAccountName)).toEqual(workloads.map(({ name }) => name));
    expect(workloads.map(({ pod }) => pod.automountServiceAccountToken)).toEqual(workloads.map(() => false));
    expect(ofKind('ServiceAccount').map(({ metadata }) => metadata.name)).toEqual(
      expect.arrayContaining(workloads.map(({ name }) => name)),
    );
  });

  it('scale a service by exactly one autoscaler or by none', () => {
    const autoscalers = [...ofKind('HorizontalPodAutoscaler'), ...ofKind('ScaledObject')];
    expect(autoscalers.map(({ spec }) => spec?.scaleTargetRef?.name).sort()).toEqual(SCALED);
    const fixed = services.filter(({ manifest }) => manifest.spec?.replicas !== undefined).map(({ name }) => name);
    expect(fixed.sort()).toEqual(SERVICES.filter((name) => !SCALED.includes(name)));
  });

  it('run one ingest at a time', () => {
    const ingest = services.find(({ name }) => name === 'ingest');
    expect(ingest?.manifest.spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
  });

  it('let a drain of a node evict one pod of a service at a time', () => {
    for (const { name, labels } of services) {
      const budgets = ofKind('PodDisruptionBudget').filter(({ spec }) => matches(labels, spec?.selector));
      expect(budgets.map(({ metadata, spec }) => [metadata.name, spec?.maxUnavailable])).toEqual([[name, 1]]);
    }
  });

  it('spread the replicas of a service over nodes and zones', () => {
    for (const { name, labels, pod } of services.filter((service) => service.name !== 'ingest')) {
      const constraints = pod.topologySpreadConstraints ?? [];
      expect([name, constraints.map(({ topologyKey }) => topologyKey)]).toEqual([
        name,
        ['kubernetes.io/hostname', 'topology.kubernetes.io/zone'],
      ]);
      for (const { labelSelector } of constraints) expect(matches(labels, labelSelector)).toBe(true);
    }
  });

  it('probe every service at its HTTP port', () => {
    for (const { pod } of services) {
      const [{ ports = [], startupProbe, livenessProbe, readinessProbe }] = pod.containers;
      expect(ports.map(({ name }) => name)).toContain('http');
      expect(startupProbe?.httpGet).toEqual({ path: '/health/live', port: 'http' });
      expect(livenessProbe?.httpGet).toEqual({ path: '/health/live', port: 'http' });
      expect(readinessProbe?.httpGet).toEqual({ path: '/health/ready', port: 'http' });
    }
  });

  it('wait for the migration before a service starts that writes', () => {
    const waiting = services.filter(({ pod }) => pod.initContainers);
    expect(waiting.map(({ name }) => name).sort()).toEqual(['ingest', 'projector', 'prover-writer']);
    for (const { pod } of waiting) {
      expect(pod.initContainers?.map(({ args }) => args)).toEqual([['dist/apps/migrate/main.js', 'wait']]);
    }
  });

  it('give a shutdown more time than it takes', () => {
    const apps = workloads.filter(({ name }) => name === 'migrate' || SERVICES.includes(name));
    expect(apps).toHaveLength(SERVICES.length + 1);
    for (const { name, pod } of apps) {
      const [{ envFrom = [] }] = pod.containers;
      const maps = envFrom.map(({ configMapRef }) => configMapRef?.name);
      const settings = ofKind('ConfigMap').filter(({ metadata }) => maps.includes(metadata.name));
      expect([name, settings.map(({ data = {} }) => Object.keys(data))]).toEqual([
        name,
        [expect.arrayContaining(['SHUTDOWN_DRAIN_MS'])],
      ]);
      const { SHUTDOWN_DRAIN_MS: drainMs } = readConfig(DRAIN_CONFIG, settings[0].data);
      const graceMs = (pod.terminationGracePeriodSeconds ?? 0) * 1_000;
      expect([name, graceMs]).toEqual([name, expect.any(Number)]);
      expect(graceMs).toBeGreaterThan(drainMs + SHUTDOWN_DEADLINE_MS);
    }
  });

  it('limit the heap below the memory of the container', () => {
    for (const { env = [], resources, image } of workloads.flatMap(({ pod }) => listContainers(pod))) {
      const limit = toBytes(resources.limits.memory);
      expect(toBytes(resources.requests.memory)).toBeLessThanOrEqual(limit);
      if (image.startsWith('fresnel-servers')) continue;
      const options = env.find(({ name }) => name === 'NODE_OPTIONS')?.value ?? '';
      // V8 has two semi-spaces. Its default depends on its version and on the machine: Node 24 lets both have 64 MiB.
      const [, oldMebibytes, semiMebibytes] =
        /^--max-old-space-size=(\d+) --max-semi-space-size=(\d+)$/.exec(options) ?? [];
      const heapMebibytes = Number(oldMebibytes) + 2 * Number(semiMebibytes);
      expect(heapMebibytes * 2 ** 20).toBeLessThanOrEqual(limit * MAX_HEAP_SHARE);
    }
  });

  it('name images by an exact tag', () => {
    for (const { image } of workloads.flatMap(({ pod }) => listContainers(pod))) {
      expect(image).toMatch(/^[^:]+:(?!latest$)[\w.-]+$/);
    }
  });

  it('contain no secrets', () => {
    expect(ofKind('Secret')).toEqual([]);
    expect(JSON.stringify(manifests)).not.toMatch(/:\/\/[^/"]*:[^/"]*@/);
    const secrets = Object.values(APP_SCHEMAS).flatMap(secretNames);
    const containers = workloads.flatMap(({ pod }) => listContainers(pod));
    const variables = [
      ...containers.flatMap(({ env = [] }) => env.map(({ name }) => name)),
      ...ofKind('ConfigMap').flatMap(({ data = {} }) => Object.keys(data)),
    ];
    expect(variables.filter((name) => secrets.includes(name))).toEqual([]);
    expect(containers.flatMap(({ envFrom = [] }) => envFrom.filter(({ secretRef }) => secretRef))).toEqual([]);
  });

  describe('configure', () => {
    let secretsFolder: string;
    beforeAll(() => {
      secretsFolder = mkdtempSync(join(tmpdir(), 'fresnel-manifests-'));
    });
    afterAll(() => {
      rmSync(secretsFolder, { recursive: true });
    });

    it('every app completely and correctly', () => {
      for (const { pod } of workloads) {
        for (const container of listContainers(pod)) {
          if (!container.args?.[0].endsWith('main.js')) continue;
          expect(readAppConfig(container, manifests, secretsFolder)).toBeDefined();
        }
      }
    });

    it('only variables that exist', () => {
      const known = Object.values(APP_SCHEMAS).flatMap((schema) => [
        ...Object.keys(schema),
        ...secretNames(schema).map((name) => `${name}_FILE`),
      ]);
      const containers = workloads.flatMap(({ pod }) => listContainers(pod)).filter(({ args }) => args);
      const names = containers.flatMap((container) => Object.keys(environmentOf(container, manifests, secretsFolder)));
      expect(names.filter((name) => name !== 'NODE_OPTIONS' && !known.includes(name))).toEqual([]);
    });
  });
});

it('schemas reject unknown and missing fields', () => {
  const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec: { ports: [{ port: 1 }] } };
  expect(findErrors('v1/Service', service)).toEqual([]);
  expect(findErrors('v1/Service', { ...service, spec: { ports: [{}] } })).toHaveLength(1);
  expect(findErrors('v1/Service', { ...service, spec: { port: [] } })).toHaveLength(1);
  expect(findErrors('v1/Secret', service)).toEqual(['no schema of v1/Secret']);
  const rule = (fields: object) => ({
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name: 'a' },
    spec: { groups: [{ name: 'a', rules: [{ alert: 'A', expr: 'up', for: '5m', ...fields }] }] },
  });
  const ofRule = (fields: object) => findErrors('monitoring.coreos.com/v1/PrometheusRule', rule(fields));
  expect(ofRule({})).toEqual([]);
  expect(ofRule({ for: '5 minutes' })).toHaveLength(1);
  expect(ofRule({ severity: 'critical' })).toHaveLength(1);
});

it('the dashboards are in a ConfigMap that the sidecar of Grafana finds', () => {
  const manifests = render(KUSTOMIZATIONS.productionWithComponents);
  const dashboards = manifests.find(({ metadata }) => metadata.name === 'fresnel-dashboards');
  expect(dashboards?.metadata.labels).toMatchObject({ grafana_dashboard: '1' });
  const files = Object.entries(dashboards?.data ?? {});
  expect(files).toHaveLength(3);
  for (const [name, text] of files) expect(`${(JSON.parse(text) as { uid: string }).uid}.json`).toBe(name);
});

describe('the network policies', () => {
  it('permit exactly the data flow between the pods of the local overlay, and name resolution', () => {
    const manifests = render(KUSTOMIZATIONS.local);
    const pairs = listPermittedPairs(manifests, listWorkloads(manifests));
    expect(pairs.filter((pair) => !pair.endsWith('-> dns'))).toEqual(DATA_FLOW);
  });

  it('permit the same with servers outside of the cluster', () => {
    const manifests = render(KUSTOMIZATIONS.production);
    const workloads = listWorkloads(manifests);
    const pairs = listPermittedPairs(manifests, workloads);
    const isInside = (pair: string) => !/-> (kafka|postgres|redis)$/.test(pair);
    const withServers = workloads.filter(({ name }) => name !== 'gateway').map(({ name }) => `${name} -> outside`);
    expect(pairs.filter((pair) => !pair.endsWith('-> dns'))).toEqual(
      [...new Set([...DATA_FLOW.filter(isInside), ...withServers, 'gateway -> outside'])].sort(),
    );
  });

  it('permit that gateways call the provers of another namespace, whose policies permit the same', () => {
    const manifests = render(KUSTOMIZATIONS.productionWithRemoteIndex);
    const ofName = (name: string) => manifests.find(({ metadata }) => metadata.name === name)?.spec;
    const [{ to: [prover] = [], ports }] = ofName('gateway-to-remote-prover')?.egress ?? [];
    const [{ from: [gateway] = [], ports: servedPorts }] = ofName('prover-from-remote-gateway')?.ingress ?? [];
    const deployed = listWorkloads(manifests).find(({ name }) => name === 'gateway');
    const [{ env = [] }] = deployed?.pod.containers ?? [];
    const url = env.find(({ name }) => name === 'PROVER_URL')?.value;
    const namespace = prover.namespaceSelector?.matchLabels?.['kubernetes.io/metadata.name'];
    expect(url).toBe(`dns:///prover.${namespace}:50051`);
    expect(prover.podSelector).toEqual(ofName('prover-from-remote-gateway')?.podSelector);
    expect(gateway.podSelector).toEqual(ofName('gateway-to-remote-prover')?.podSelector);
    expect(gateway.namespaceSelector).toEqual({ matchLabels: { 'kubernetes.io/metadata.name': 'fresnel' } });
    expect(ports).toEqual(servedPorts);
  });

  it('deny everything else', () => {
    const manifests = render(KUSTOMIZATIONS.production);
    const denial = manifests.find(({ metadata }) => metadata.name === 'default-deny');
    expect(denial?.spec).toEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
  });
});
