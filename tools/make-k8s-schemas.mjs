// Writes k8s/schemas: JSON schemas of the kinds that the manifests use, from the published Go modules of Kubernetes, KEDA
// and the Prometheus operator. `npm run k8s:schemas`. Needs Go.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const OUT = join(dirname(dirname(fileURLToPath(import.meta.url))), 'k8s', 'schemas');
const KUBERNETES = 'v1.34.4';
const KEDA = 'v2.20.2';
const PROMETHEUS_OPERATOR = 'v0.85.0';

/** The kinds of Kubernetes that the manifests use. */
const KINDS = [
  'v1/ConfigMap',
  'v1/Namespace',
  'v1/PersistentVolumeClaim',
  'v1/Service',
  'v1/ServiceAccount',
  'apps/v1/Deployment',
  'autoscaling/v2/HorizontalPodAutoscaler',
  'batch/v1/CronJob',
  'batch/v1/Job',
  'networking.k8s.io/v1/NetworkPolicy',
  'policy/v1/PodDisruptionBudget',
];
/** The definitions of the custom resources that the manifests use, in the modules. */
const KEDA_RESOURCES = ['config/crd/bases/keda.sh_scaledobjects.yaml'];
const PROMETHEUS_RESOURCES = ['podmonitors', 'prometheusrules'].map(
  (name) => `example/prometheus-operator-crd/monitoring.coreos.com_${name}.yaml`,
);

/** Types that the API accepts in several forms. */
const LENIENT = /** @type {Record<string, object>} */ ({
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': { type: ['string', 'integer'] },
  'io.k8s.apimachinery.pkg.api.resource.Quantity': { type: ['string', 'number'] },
});

/** @typedef {{ [keyword: string]: any }} Schema */

mkdirSync(OUT, { recursive: true });
write(`kubernetes-${KUBERNETES.replace(/^v(\d+\.\d+).*/, '$1')}.json`, kubernetesSchemas());
write(
  `keda-${KEDA.replace(/^v(\d+\.\d+).*/, '$1')}.json`,
  customSchemas('github.com/kedacore/keda/v2', KEDA, KEDA_RESOURCES),
);
write(
  `prometheus-operator-${PROMETHEUS_OPERATOR.replace(/^v(\d+\.\d+).*/, '$1')}.json`,
  customSchemas('github.com/prometheus-operator/prometheus-operator', PROMETHEUS_OPERATOR, PROMETHEUS_RESOURCES),
);

/** @returns {Schema} the schema of each kind, and the definitions that they refer to */
function kubernetesSchemas() {
  const folder = downloadModule('k8s.io/kubernetes', KUBERNETES);
  const { definitions } = JSON.parse(readFileSync(join(folder, 'api', 'openapi-spec', 'swagger.json'), 'utf8'));
  /** @type {Schema} */
  const kinds = {};
  for (const [name, definition] of Object.entries(definitions)) {
    for (const { group, version, kind } of definition['x-kubernetes-group-version-kind'] ?? []) {
      const apiVersion = group === '' ? version : `${group}/${version}`;
      if (KINDS.includes(`${apiVersion}/${kind}`)) kinds[`${apiVersion}/${kind}`] = name;
    }
  }
  const missing = KINDS.filter((kind) => !(kind in kinds));
  if (missing.length > 0) throw new Error(`Kubernetes ${KUBERNETES} lacks ${missing.join(', ')}`);
  /** @type {Schema} */
  const used = {};
  for (const kind of KINDS) collect(kinds[kind], definitions, used);
  return {
    kinds: Object.fromEntries(KINDS.map((kind) => [kind, { $ref: `#/definitions/${kinds[kind]}` }])),
    definitions: used,
  };
}

/**
 * Copies a definition and all that it refers to.
 *
 * @param {string} name
 * @param {Schema} definitions
 * @param {Schema} used
 */
function collect(name, definitions, used) {
  if (name in used) return;
  used[name] = LENIENT[name] ?? strict(definitions[name]);
  for (const [, reference] of JSON.stringify(used[name]).matchAll(/"#\/definitions\/([^"]+)"/g)) {
    collect(reference, definitions, used);
  }
}

/**
 * @param {string} module
 * @param {string} version
 * @param {readonly string[]} files definitions of custom resources in the module
 * @returns {Schema}
 */
function customSchemas(module, version, files) {
  const folder = downloadModule(module, version);
  const yaml = createRequire(import.meta.url)('js-yaml');
  /** @type {Schema} */
  const kinds = {};
  for (const file of files) {
    const { spec } = yaml.load(readFileSync(join(folder, file), 'utf8'));
    for (const { name, schema } of spec.versions) {
      const kind = strict(schema.openAPIV3Schema);
      // The definition of a custom resource leaves the metadata to the API server.
      kind.properties.metadata = {};
      kinds[`${spec.group}/${name}/${spec.names.kind}`] = kind;
    }
  }
  return { kinds, definitions: {} };
}

/**
 * A schema without texts and formats, which rejects unknown properties, as the API server does with strict validation.
 *
 * @param {any} schema
 * @returns {any}
 */
function strict(schema) {
  if (Array.isArray(schema)) return schema.map(strict);
  if (typeof schema !== 'object' || schema === null) return schema;
  if (schema['x-kubernetes-int-or-string']) return { type: ['string', 'integer'] };
  const { properties, ...rest } = schema;
  const kept = Object.entries(rest).filter(
    ([keyword, value]) =>
      keyword !== 'description' &&
      keyword !== 'format' &&
      !keyword.startsWith('x-kubernetes-') &&
      // JavaScript has no such expressions.
      !(keyword === 'pattern' && String(value).includes('(?i)')),
  );
  const result = Object.fromEntries(kept.map(([keyword, value]) => [keyword, strict(value)]));
  if (properties === undefined) return result;
  result.properties = Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, strict(value)]));
  return { additionalProperties: false, ...result };
}

/**
 * @param {string} module
 * @param {string} version
 * @returns {string} the folder of the module
 */
function downloadModule(module, version) {
  const { stdout, status } = spawnSync('go', ['mod', 'download', '-json', `${module}@${version}`], {
    cwd: tmpdir(),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 2],
  });
  if (status !== 0) throw new Error(`${module} ${version} cannot be downloaded`);
  return JSON.parse(stdout).Dir;
}

/**
 * @param {string} file
 * @param {Schema} schemas
 */
function write(file, schemas) {
  writeFileSync(join(OUT, file), `${JSON.stringify(schemas, null, 1)}\n`);
}
