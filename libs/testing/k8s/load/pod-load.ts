import { eventually } from '@fresnel/testing/generic';
import { type LocalDeployment } from '../local-deployment';
import { bundle } from './bundle';
import { type LoadLine, type LoadOptions } from './load-line';
import { TestPod } from './test-pod';

const GATEWAY = 'http://gateway:8784';

export type LineOf<Kind extends LoadLine['kind']> = Extract<LoadLine, { kind: Kind }>;

/** A pod that sends requests to the Service of the gateway. */
export class PodLoad {
  private constructor(private readonly pod: TestPod) {}

  /** Starts the pod, and waits until calls are answered. @param name of the pod */
  static async start(deployment: LocalDeployment, name: string, options: Omit<LoadOptions, 'url'>): Promise<PodLoad> {
    const text = JSON.stringify({ url: GATEWAY, ...options });
    const files = { 'client.js': bundle('load-client'), 'options.json': text };
    const args = ['/files/client.js', '/files/options.json'];
    const load = new PodLoad(await TestPod.start(deployment, name, { args, files }));
    await eventually('calls are answered', async () => (await load.countAnswered()) > 0);
    return load;
  }

  /** All lines of a kind so far. */
  async read<Kind extends LoadLine['kind']>(kind: Kind): Promise<LineOf<Kind>[]> {
    const lines = (await this.pod.readLines()) as LoadLine[];
    return lines.filter((line) => line.kind === kind) as LineOf<Kind>[];
  }

  /** Number of answered calls so far. */
  async countAnswered(): Promise<number> {
    return (await this.read('count')).at(-1)?.answered ?? 0;
  }

  /** Deletes the pod. */
  stop(): Promise<void> {
    return this.pod.stop();
  }
}
