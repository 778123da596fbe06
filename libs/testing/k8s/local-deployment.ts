import { randomBytes } from 'node:crypto';
import { type ForwardedPort, forwardPort, kubectl } from './kubectl';
import { type OverlayOptions, withOverlay } from './local-overlay';

/** How long the pods may take to start, on a slow machine and with servers that start first. */
const START_TIMEOUT = '600s';
/** In the order in which an upgrade waits for them. */
const CONSUMERS = ['projector', 'prover-writer', 'prover', 'gateway'];

export interface DeploymentOptions extends OverlayOptions {
  /** Secrets besides those of Postgres and Redis. */
  secrets?: Record<string, Record<string, string>>;
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
  private readonly readPassword = randomBytes(18).toString('base64url');

  private constructor(private readonly options: DeploymentOptions) {}

  get namespace(): string {
    return this.options.namespace;
  }

  /** Its database for pods of all namespaces, with the role that cannot write. */
  get readUrl(): string {
    return `postgres://fresnel_read:${this.readPassword}@postgres.${this.namespace}:5432/fresnel`;
  }

  /** Applies the overlay to a namespace that does not exist yet. @throws when it exists */
  static async create(options: DeploymentOptions): Promise<LocalDeployment> {
    await kubectl(['create', 'namespace', options.namespace]);
    const deployment = new LocalDeployment(options);
    await deployment.createSecrets();
    if (options.treesFile !== undefined)
      await deployment.run(['create', 'configmap', 'trees', `--from-file=trees.json=${options.treesFile}`]);
    await deployment.apply(options);
    return deployment;
  }

  /** Applies the overlay of the sources with an image, in the steps that k8s/README.md names for an upgrade, and waits for each. */
  async upgrade(imageTag: string): Promise<void> {
    const options = { ...this.options, released: undefined, imageTag };
    await this.run(['delete', 'job', 'migrate', '--ignore-not-found']);
    await this.apply(options, ['--selector', 'app.kubernetes.io/component!=ingest']);
    await this.run(['wait', '--for=condition=Complete', 'job/migrate', `--timeout=${START_TIMEOUT}`]);
    for (const service of CONSUMERS) await this.waitForRollout(service);
    await this.apply(options);
    await this.waitForRollout('ingest');
  }

  /** Has its overlay with further options used. @param use gets the folder, which is deleted afterwards */
  withOverlay<Result>(further: Partial<OverlayOptions>, use: (folder: string) => Promise<Result>): Promise<Result> {
    return withOverlay({ ...this.options, ...further }, use);
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

  private apply(options: OverlayOptions, selector: readonly string[] = []): Promise<string> {
    return withOverlay(options, (folder) => kubectl(['apply', '--kustomize', folder, ...selector]));
  }

  private async createSecrets(): Promise<void> {
    const password = randomBytes(18).toString('base64url');
    const { readPassword } = this;
    await this.createSecret('fresnel-postgres', {
      password,
      'read-password': readPassword,
      url: `postgres://fresnel:${password}@postgres:5432/fresnel`,
      'read-url': `postgres://fresnel_read:${readPassword}@postgres:5432/fresnel`,
    });
    await this.createSecret('fresnel-redis', { url: 'redis://redis:6379' });
    for (const [name, values] of Object.entries(this.options.secrets ?? {})) await this.createSecret(name, values);
  }

  createSecret(name: string, values: Record<string, string>): Promise<void> {
    return this.applyManifest({ apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData: values });
  }

  /** Applies a manifest to the namespace. */
  async applyManifest(manifest: object): Promise<void> {
    await this.run(['apply', '--filename', '-'], JSON.stringify(manifest));
  }
}
