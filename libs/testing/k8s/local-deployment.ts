import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { type ForwardedPort, forwardPort, kubectl } from './kubectl';
import { KUSTOMIZATIONS } from './manifests';

/** How long the pods may take to start, on a slow machine and with servers that start first. */
const START_TIMEOUT = '600s';
/** In the order in which an upgrade waits for them. */
const CONSUMERS = ['projector', 'prover-writer', 'prover', 'gateway'];

export interface DeploymentOptions {
  /** A namespace that does not exist yet. */
  namespace: string;
  /** Settings of the apps besides those of the overlay. */
  settings?: Record<string, string>;
  /** JSON file with the trees to index, for TREES_FILE. */
  treesFile?: string;
  /** Merge patches of manifests. */
  patches?: readonly object[];
  /** Tag of the image of the apps, instead of `local`. */
  imageTag?: string;
}

/** A pod of the deployment that has not ended. */
export interface DeployedPod {
  name: string;
  /** Name of its Deployment. */
  component: string;
  isReady: boolean;
  restarts: number;
  /** Image of its first container. */
  image: string;
}

/** The part of a list of pods that is read. */
interface PodList {
  items: {
    metadata: { name: string; labels: Record<string, string>; deletionTimestamp?: string };
    spec: { containers: { image: string }[] };
    status: {
      phase: string;
      conditions?: { type: string; status: string }[];
      containerStatuses?: { restartCount: number }[];
    };
  }[];
}

/** The local overlay, deployed to a namespace of its own in the cluster of KUBECONFIG. */
export class LocalDeployment {
  private constructor(private readonly options: DeploymentOptions) {}

  get namespace(): string {
    return this.options.namespace;
  }

  /** Applies the overlay. @throws when the namespace exists already */
  static async create(options: DeploymentOptions): Promise<LocalDeployment> {
    await kubectl(['create', 'namespace', options.namespace]);
    const deployment = new LocalDeployment(options);
    await deployment.createSecrets();
    if (options.treesFile !== undefined)
      await deployment.run(['create', 'configmap', 'trees', `--from-file=trees.json=${options.treesFile}`]);
    await deployment.apply(options);
    return deployment;
  }

  /** Replaces the image of all apps, in the steps that k8s/README.md names for an upgrade, and waits for each of them. */
  async upgrade(imageTag: string): Promise<void> {
    const options = { ...this.options, imageTag };
    await this.run(['delete', 'job', 'migrate', '--ignore-not-found']);
    await this.apply(options, ['--selector', 'app.kubernetes.io/component!=ingest']);
    await this.run(['wait', '--for=condition=Complete', 'job/migrate', `--timeout=${START_TIMEOUT}`]);
    for (const service of CONSUMERS) await this.waitForRollout(service);
    await this.apply(options);
    await this.waitForRollout('ingest');
  }

  /** Waits until a Deployment has only pods of its newest template. */
  async waitForRollout(component: string): Promise<void> {
    await this.run(['rollout', 'status', `deployment/${component}`, `--timeout=${START_TIMEOUT}`]);
  }

  /** Runs kubectl in the namespace. */
  run(args: readonly string[], input?: string): Promise<string> {
    return kubectl(['--namespace', this.namespace, ...args], input);
  }

  /** Waits until the migration has ended and all pods are ready. */
  async waitUntilReady(): Promise<void> {
    const timeout = `--timeout=${START_TIMEOUT}`;
    await this.run(['wait', '--for=condition=Complete', 'job/migrate', timeout]);
    await this.run(['wait', '--for=condition=Available', 'deployment', '--all', timeout]);
  }

  /** The pods that have not ended. @param component those of one Deployment */
  async listPods(component?: string): Promise<DeployedPod[]> {
    const selector = component === undefined ? [] : ['--selector', `app.kubernetes.io/component=${component}`];
    const { items } = JSON.parse(await this.run(['get', 'pods', ...selector, '--output', 'json'])) as PodList;
    const running = items.filter(({ metadata, status }) => !metadata.deletionTimestamp && status.phase !== 'Succeeded');
    return running.map(({ metadata, spec, status }) => ({
      name: metadata.name,
      component: metadata.labels['app.kubernetes.io/component'],
      isReady: (status.conditions ?? []).some(({ type, status: value }) => type === 'Ready' && value === 'True'),
      image: spec.containers[0].image,
      restarts: (status.containerStatuses ?? []).reduce((sum, { restartCount }) => sum + restartCount, 0),
    }));
  }

  /** The metrics of a pod. The API server must be able to connect to pods. */
  readMetrics(pod: string): Promise<string> {
    return kubectl(['get', '--raw', `/api/v1/namespaces/${this.namespace}/pods/${pod}:8786/proxy/metrics`]);
  }

  /** Forwards a port of this machine to the gateway. */
  forwardGateway(port?: number): Promise<ForwardedPort> {
    return forwardPort(this.namespace, 'gateway', 'http', port);
  }

  /** Deletes everything. @param wait whether until everything is gone */
  async delete({ wait = true } = {}): Promise<void> {
    await kubectl(['delete', 'namespace', this.namespace, `--wait=${wait}`]);
  }

  private async apply(options: DeploymentOptions, selector: readonly string[] = []): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), 'fresnel-k8s-'));
    try {
      writeFileSync(join(folder, 'kustomization.yaml'), JSON.stringify(kustomization(folder, options)));
      await kubectl(['apply', '--kustomize', folder, ...selector]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  private async createSecrets(): Promise<void> {
    const password = randomBytes(18).toString('base64url');
    const readPassword = randomBytes(18).toString('base64url');
    await this.createSecret('fresnel-postgres', {
      password,
      'read-password': readPassword,
      url: `postgres://fresnel:${password}@postgres:5432/fresnel`,
      'read-url': `postgres://fresnel_read:${readPassword}@postgres:5432/fresnel`,
    });
    await this.createSecret('fresnel-redis', { url: 'redis://redis:6379' });
  }

  private async createSecret(name: string, values: Record<string, string>): Promise<void> {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData: values };
    await this.run(['apply', '--filename', '-'], JSON.stringify(secret));
  }
}

/** The local overlay in a namespace, with further settings. */
function kustomization(
  folder: string,
  { namespace, settings = {}, treesFile, patches = [], imageTag }: DeploymentOptions,
): object {
  const literals = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  return {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    namespace,
    resources: [relative(folder, KUSTOMIZATIONS.local)],
    images: imageTag === undefined ? [] : [{ name: 'fresnel', newTag: imageTag }],
    configMapGenerator: literals.length > 0 ? [{ name: 'fresnel', behavior: 'merge', literals }] : [],
    patches: [...(treesFile === undefined ? [] : [TREES_PATCH]), ...patches].map((patch) => ({
      patch: JSON.stringify(patch),
    })),
  };
}

/** Mounts the trees for ingest. */
const TREES_PATCH = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'ingest' },
  spec: {
    template: {
      spec: {
        containers: [
          {
            name: 'app',
            env: [{ name: 'TREES_FILE', value: '/trees/trees.json' }],
            volumeMounts: [{ name: 'trees', mountPath: '/trees', readOnly: true }],
          },
        ],
        volumes: [{ name: 'trees', configMap: { name: 'trees' } }],
      },
    },
  },
};
