import { kubectl } from './kubectl';

const PARENT = '/var/tmp';

/** A folder of a node that pods of any user may write, as a PersistentVolume: the cluster may have no storage of its own. */
export class HostFolder {
  private constructor(
    readonly name: string,
    private readonly node: string,
  ) {}

  /** @param name of the volume and of its folder, which do not exist yet */
  static async create(name: string): Promise<HostFolder> {
    const node = await kubectl(['get', 'nodes', '--output', 'jsonpath={.items[0].metadata.name}']);
    const folder = new HostFolder(name, node);
    await kubectl(['create', 'namespace', name]);
    await folder.run(`fs.mkdirSync('${folder.path}'); fs.chmodSync('${folder.path}', 0o777)`);
    await apply(folder.volume());
    return folder;
  }

  /** Deletes the volume and its files. No pod may use it any more. */
  async delete(): Promise<void> {
    await kubectl(['delete', 'pv', this.name]);
    await this.run(`fs.rmSync('${this.path}', { recursive: true })`);
    await kubectl(['delete', 'namespace', this.name]);
  }

  private get path(): string {
    return `${PARENT}/${this.name}`;
  }

  private volume(): object {
    const hostname = { key: 'kubernetes.io/hostname', operator: 'In', values: [this.node] };
    return {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: this.name },
      spec: {
        capacity: { storage: '50Gi' },
        accessModes: ['ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Retain',
        hostPath: { path: this.path },
        nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [hostname] }] } },
      },
    };
  }

  /** Runs a script of Node on the node, as root. */
  private async run(script: string): Promise<void> {
    const mounted = [{ name: 'parent', mountPath: PARENT }];
    const container = { name: 'script', image: 'fresnel:local', args: ['--eval', script], volumeMounts: mounted };
    const metadata = { generateName: 'script-', namespace: this.name };
    const spec = {
      nodeName: this.node,
      restartPolicy: 'Never',
      securityContext: { runAsUser: 0 },
      containers: [container],
      volumes: [{ name: 'parent', hostPath: { path: PARENT } }],
    };
    const pod = JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata, spec });
    const created = await kubectl(['create', '--filename', '-', '--output', 'name'], pod);
    const wait = ['wait', '--for=jsonpath={.status.phase}=Succeeded', created.trim(), '--timeout=300s'];
    await kubectl(['--namespace', this.name, ...wait]);
  }
}

async function apply(manifest: object): Promise<void> {
  await kubectl(['apply', '--filename', '-'], JSON.stringify(manifest));
}
