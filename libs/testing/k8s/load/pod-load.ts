import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type LocalDeployment } from '../local-deployment';
import { type LoadLine, type LoadOptions } from './load-line';

const GATEWAY = 'http://gateway:8784';
const CLIENT = 'load-client.ts';

export type LineOf<Kind extends LoadLine['kind']> = Extract<LoadLine, { kind: Kind }>;

/** A pod that sends requests to the Service of the gateway. */
export class PodLoad {
  private constructor(
    private readonly deployment: LocalDeployment,
    private readonly name: string,
  ) {}

  /** Starts the pod, and waits until calls are answered. @param name of the pod */
  static async start(deployment: LocalDeployment, name: string, options: Omit<LoadOptions, 'url'>): Promise<PodLoad> {
    const source = readFileSync(join(__dirname, CLIENT), 'utf8');
    const data = { [CLIENT]: source, 'options.json': JSON.stringify({ url: GATEWAY, ...options }) };
    const files = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
    for (const manifest of [files, NETWORK_POLICY, podOf(name)])
      await deployment.run(['apply', '--filename', '-'], JSON.stringify(manifest));
    await deployment.run(['wait', '--for=condition=Ready', `pod/${name}`, '--timeout=300s']);
    return new PodLoad(deployment, name);
  }

  /** All lines of a kind so far. */
  async read<Kind extends LoadLine['kind']>(kind: Kind): Promise<LineOf<Kind>[]> {
    const text = await this.deployment.run(['logs', `pod/${this.name}`, '--tail=-1']);
    const lines = text.split('\n').filter((line) => line.startsWith('{'));
    return lines.map((line) => JSON.parse(line) as LoadLine).filter((line) => line.kind === kind) as LineOf<Kind>[];
  }

  /** Number of answered calls so far. */
  async countAnswered(): Promise<number> {
    return (await this.read('count')).at(-1)?.answered ?? 0;
  }

  /** Deletes the pod. */
  async stop(): Promise<void> {
    await this.deployment.run(['delete', 'pod', this.name, '--grace-period=1']);
  }
}

const LABELS = { 'app.kubernetes.io/name': 'fresnel', 'app.kubernetes.io/component': 'load' };

const NETWORK_POLICY = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name: 'load-to-gateway' },
  spec: {
    podSelector: { matchLabels: { 'app.kubernetes.io/component': 'load' } },
    policyTypes: ['Egress'],
    egress: [
      {
        to: [{ podSelector: { matchLabels: { 'app.kubernetes.io/component': 'gateway' } } }],
        ports: [{ protocol: 'TCP', port: 'rpc' }],
      },
    ],
  },
};

/** A pod that conforms to the standard "restricted" and runs the client with the Node of the image. */
function podOf(name: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: LABELS },
    spec: {
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      restartPolicy: 'Never',
      securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          name: 'load',
          image: 'fresnel:local',
          args: ['--no-warnings', `/load/${CLIENT}`, '/load/options.json'],
          resources: { requests: { cpu: '50m', memory: '128Mi' }, limits: { memory: '256Mi' } },
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
          volumeMounts: [{ name: 'files', mountPath: '/load', readOnly: true }],
        },
      ],
      volumes: [{ name: 'files', configMap: { name } }],
    },
  };
}
