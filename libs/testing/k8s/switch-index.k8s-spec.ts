import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '@fresnel/testing/generic';
import { checkAgainstOracle } from '@fresnel/testing/ledger';
import { callRpc } from '@fresnel/testing/stack';
import { type ForwardedPort } from './kubectl';
import { LiveDeployment } from './live-deployment';
import { longestGap, PodSubscriber } from './load';
import { type LocalDeployment } from './local-deployment';
import { ROOT } from './manifests';

jest.setTimeout(1_800_000);

const CATCH_UP_MS = 300_000;
const OLD_BACKEND = ['ingest', 'projector', 'prover-writer', 'prover'];

/** The Postgres of the local overlay is in its namespace. */
function policies(from: string, to: string): { ofGateways: object; ofPostgres: object } {
  const select = (component: string) => ({ matchLabels: { 'app.kubernetes.io/component': component } });
  const peer = (namespace: string, component: string) => ({
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    podSelector: select(component),
  });
  const ports = [{ protocol: 'TCP', port: 'postgres' }];
  const policy = (component: string, spec: object) => ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: `${component}-of-indexes` },
    spec: { podSelector: select(component), ...spec },
  });
  return {
    ofGateways: policy('gateway', { policyTypes: ['Egress'], egress: [{ to: [peer(to, 'postgres')], ports }] }),
    ofPostgres: policy('postgres', { policyTypes: ['Ingress'], ingress: [{ from: [peer(from, 'gateway')], ports }] }),
  };
}

describe('gateways that are switched to another index', () => {
  let live: LiveDeployment;
  let next: LocalDeployment;
  let gateway: ForwardedPort | undefined;
  beforeAll(async () => {
    live = await LiveDeployment.create();
    const { namespace } = live.deployment;
    next = await live.deployAnother({
      components: { 'remote-gateways': { 'metadata.name: fresnel ': `metadata.name: ${namespace} ` } },
    });
    await next.applyManifest(policies(namespace, next.namespace).ofPostgres);
    await live.deployment.createSecret('fresnel-remote-index', { 'read-url': next.readUrl });
  });
  afterEach(() => gateway?.stop());
  afterAll(() => live.close());

  /** Runs the script with the overlay that names the new index. @returns what it printed */
  function switchGateways(): Promise<string> {
    const { namespace } = live.deployment;
    const further = {
      components: { 'remote-index': { 'fresnel-2': next.namespace } },
      resources: [policies(namespace, next.namespace).ofGateways],
    };
    return live.deployment.withOverlay(further, async (folder) => {
      const script = join(ROOT, 'k8s', 'switch-index.sh');
      const { stdout } = await promisify(execFile)(script, [folder, namespace, namespace, next.namespace]);
      return stdout;
    });
  }

  it('fail no request, answer at no older slot, and subscribers have the same copy', async () => {
    const firstSlot = live.ledger.revealed[0].slot;
    const subscriber = await PodSubscriber.start(live.deployment, 'subscriber', firstSlot);
    const replace = async () => {
      const load = await live.startMixedLoad('switch');
      const startedAt = Date.now();
      console.log(await switchGateways());
      const seconds = (Date.now() - startedAt) / 1_000;
      for (const name of OLD_BACKEND) await live.deployment.run(['scale', `deployment/${name}`, '--replicas=0']);
      for (const name of OLD_BACKEND) await live.waitForPods(name, 0, CATCH_UP_MS);
      const switchedAt = live.ledger.tip;
      const isFollowing = async () => (await subscriber.readCopy()).slot > switchedAt;
      await eventually('the subscriber follows the new index', isFollowing, CATCH_UP_MS);
      const failures = await load.read('failure');
      const stillMs = longestGap(await load.read('proof'));
      console.log(
        `switched in ${seconds} s, of which the slot stood still for ${stillMs / 1_000} s; ` +
          `${await load.countAnswered()} calls answered, ${failures.length} failed`,
      );
      await load.stop();
      expect(failures).toEqual([]);
    };
    await live.growWhile(replace());

    gateway = await live.deployment.forwardGateway();
    const { url } = gateway;
    const isIndexed = async () =>
      (await callRpc(url, { method: 'getIndexerSlot', params: [] })).result === live.ledger.tip;
    await eventually('all blocks are indexed', isIndexed, CATCH_UP_MS);
    expect((await checkAgainstOracle(url, live.ledger.oracle)).differences).toEqual([]);

    const fresh = await PodSubscriber.start(live.deployment, 'fresh-subscriber', firstSlot);
    const haveTip = async () => {
      const copies = await Promise.all([subscriber.readCopy(), fresh.readCopy()]);
      return copies.every(({ slot }) => slot >= live.ledger.tip);
    };
    await eventually('both subscribers have the tip', haveTip, CATCH_UP_MS);
    const copy = await subscriber.readCopy();
    expect(copy.transactions.length).toBeGreaterThan(100);
    expect(copy.transactions).toEqual((await fresh.readCopy()).transactions);
    console.log(`${copy.transactions.length} transactions in the copy; ${copy.rollbacks} rollbacks`);
  });
});
