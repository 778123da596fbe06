// Writes k8s/schemas: JSON schemas of the kinds that the manifests use, from the published Go modules of Kubernetes and KEDA.
// `npm run k8s:schemas`. Needs Go.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const OUT = join(dirname(dirname(fileURLToPath(import.meta.url))), 'k8s', 'schemas');
const KUBERNETES = 'v1.34.4';
const KEDA = 'v2.20.2';

/** The kinds of Kubernetes that the manifests use. */
const KINDS = [
  'v1/ConfigMap',
  'v1/Namespace',
  'v1/Service',
  'v1/ServiceAccount',
  'apps/v1/Deployment',
  'autoscaling/v2/HorizontalPodAutoscaler',
  'batch/v1/Job',
  'networking.k8s.io/v1/NetworkPolicy',
  'policy/v1/PodDisruptionBudget',
];
/** The custom resources of KEDA that the manifests use. */
const KEDA_RESOURCES = ['scaledobjects'];

/** Types that the API accepts in several forms. */
const LENIENT = /** @type {Record<string, object>} */ ({
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': { type: ['string', 'integer'] },
  'io.k8s.apimachinery.pkg.api.resource.Quantity': { type: ['string', 'number'] },
});

/** @typedef {{ [keyword: string]: any }} Schema */

mkdirSync(OUT, { recursive: true });
write(`kubernetes-${KUBERNETES.replace(/^v(\d+\.\d+).*/, '$1')}.json`, kubernetesSchemas());
write(`keda-${KEDA.replace(/^v(\d+\.\d+).*/, '$1')}.json`, kedaSchemas());

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

/** @returns {Schema} */
function kedaSchemas() {
  const folder = join(downloadModule('github.com/kedacore/keda/v2', KEDA), 'config', 'crd', 'bases');
  const yaml = createRequire(import.meta.url)('js-yaml');
  /** @type {Schema} */
  const kinds = {};
  for (const resource of KEDA_RESOURCES) {
    const { spec } = yaml.load(readFileSync(join(folder, `keda.sh_${resource}.yaml`), 'utf8'));
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
    ([keyword]) => keyword !== 'description' && keyword !== 'format' && !keyword.startsWith('x-kubernetes-'),
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
