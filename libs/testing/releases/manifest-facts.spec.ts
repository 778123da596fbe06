import { type Manifest } from '@fresnel/testing/k8s';
import { compareManifests } from './manifest-facts';

const LABELS = { 'app.kubernetes.io/name': 'fresnel' };

interface Options {
  name?: string;
  labels?: Record<string, string>;
  port?: { name: string; containerPort: number };
  container?: string;
  volumes?: object[];
}

const deployment = ({
  name = 'gateway',
  labels = LABELS,
  port = { name: 'http', containerPort: 8_786 },
  container = 'app',
  volumes = [{ secret: { secretName: 'fresnel-kafka' } }],
}: Options = {}) =>
  ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: container, ports: [port] }], volumes } },
    },
  }) as unknown as Manifest;
const configMap = (name: string, ...keys: string[]): Manifest => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data: Object.fromEntries(keys.map((key) => [key, 'value'])),
});
const service = (name: string, port: number): Manifest => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'gateway' },
  spec: { ports: [{ name, port }] },
});
const secretWithKeys = (...keys: string[]) => ({
  projected: { sources: [{ secret: { name: 'fresnel-postgres', items: keys.map((key) => ({ key })) } }] },
});

const breaches = (released: Manifest, ...now: Manifest[]) =>
  compareManifests([released], now).map(({ of, problem }) => `${of}: ${problem}`);

describe('the rule for manifests', () => {
  it('permits further resources, labels and keys, and other values of settings', () => {
    const further = deployment({ name: 'prover' });
    expect(breaches(deployment(), deployment(), further)).toEqual([]);
    expect(breaches(configMap('fresnel-1111111111', 'A'), configMap('fresnel-2222222222', 'A', 'B'))).toEqual([]);
  });

  it('refuses that a resource is gone or renamed', () => {
    expect(breaches(configMap('fresnel', 'A'))).toEqual([
      'ConfigMap fresnel: is gone',
      'key A of ConfigMap fresnel: is gone',
    ]);
    expect(breaches(service('http', 80), { ...service('http', 80), kind: 'Ingress' })).toContain(
      'Service gateway: is gone',
    );
    expect(breaches(deployment(), deployment({ name: 'rpc' }))).toContain('Deployment gateway: is gone');
  });

  it('refuses that a key of a ConfigMap is gone', () => {
    expect(breaches(configMap('fresnel', 'A', 'B'), configMap('fresnel', 'A'))).toEqual([
      'key B of ConfigMap fresnel: is gone',
    ]);
  });

  it('refuses other labels and selectors', () => {
    expect(breaches(deployment(), deployment({ labels: { 'app.kubernetes.io/name': 'other' } }))).toEqual([
      'label app.kubernetes.io/name=fresnel of Deployment gateway: is gone',
      'label app.kubernetes.io/name=fresnel of pods of Deployment gateway: is gone',
      'selector {"matchLabels":{"app.kubernetes.io/name":"fresnel"}} of Deployment gateway: is gone',
    ]);
  });

  it('refuses other containers and ports', () => {
    expect(breaches(deployment(), deployment({ container: 'main' }))).toContain(
      'container app of Deployment gateway: is gone',
    );
    expect(breaches(deployment(), deployment({ port: { name: 'metrics', containerPort: 8_786 } }))).toEqual([
      'port http 8786 of container app of Deployment gateway: is gone',
    ]);
    expect(breaches(service('http', 80), service('http', 8_080))).toEqual(['port http 80 of Service gateway: is gone']);
  });

  it('refuses that a further Secret, or a key of one, is needed', () => {
    const released = deployment({ volumes: [secretWithKeys('url')] });
    expect(breaches(released, deployment({ volumes: [secretWithKeys('url', 'password')] }))).toEqual([
      'key password of Secret fresnel-postgres: is needed and was not',
    ]);
    const another = { secret: { secretName: 'fresnel-node' } };
    expect(breaches(released, deployment({ volumes: [secretWithKeys('url'), another] }))).toEqual([
      'Secret fresnel-node: is needed and was not',
    ]);
  });
});
