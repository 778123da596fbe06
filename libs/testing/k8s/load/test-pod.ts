import { type LocalDeployment } from '../local-deployment';

const LABELS = { 'app.kubernetes.io/name': 'fresnel', 'app.kubernetes.io/component': 'load' };

/** What a pod of a test runs with the Node of the image of the apps. */
export interface TestPodOptions {
  args: readonly string[];
  /** Text files at /files. */
  files?: Record<string, string>;
  /** PersistentVolumeClaims by the path of their volume. */
  claims?: Record<string, string>;
  labels?: Record<string, string>;
}

/** A pod of a test beside the deployment. */
export class TestPod {
  constructor(
    private readonly deployment: LocalDeployment,
    readonly name: string,
  ) {}

  /** Starts the pod, which may call the gateway, and waits until it runs. @param name of the pod */
  static async start(deployment: LocalDeployment, name: string, options: TestPodOptions): Promise<TestPod> {
    const files = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: options.files ?? {} };
    for (const manifest of [files, NETWORK_POLICY, podOf(name, options)]) await deployment.applyManifest(manifest);
    await deployment.run(['wait', '--for=condition=Ready', `pod/${name}`, '--timeout=300s']);
    return new TestPod(deployment, name);
  }

  /** All lines of JSON that it has written. */
  async readLines(): Promise<unknown[]> {
    const text = await this.deployment.run(['logs', `pod/${this.name}`, '--tail=-1']);
    const lines = text.split('\n').filter((line) => line.startsWith('{'));
    return lines.map((line) => JSON.parse(line) as unknown);
  }

  /** Deletes the pod. */
  async stop(): Promise<void> {
    await this.deployment.run(['delete', 'pod', this.name, '--grace-period=1']);
  }
}

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

/** A pod that conforms to the standard "restricted". */
function podOf(name: string, { args, claims = {}, labels = LABELS }: TestPodOptions): object {
  const volumes = Object.entries(claims).map(([path, claimName]) => ({ path, volume: { name: claimName, claimName } }));
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels },
    spec: {
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      restartPolicy: 'Never',
      securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          name: 'load',
          image: 'fresnel:local',
          args,
          resources: { requests: { cpu: '50m', memory: '128Mi' }, limits: { memory: '256Mi' } },
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
          volumeMounts: [
            { name: 'files', mountPath: '/files', readOnly: true },
            ...volumes.map(({ path, volume }) => ({ name: volume.name, mountPath: path, readOnly: true })),
          ],
        },
      ],
      volumes: [
        { name: 'files', configMap: { name } },
        ...volumes.map(({ volume }) => ({
          name: volume.name,
          persistentVolumeClaim: { claimName: volume.claimName, readOnly: true },
        })),
      ],
    },
  };
}
