import { randomBytes } from 'node:crypto';
import { type Verification } from '@fresnel/features/operations';
import { eventually, ExactJson } from '@fresnel/testing/generic';
import { addTreeAccounts } from '@fresnel/testing/history';
import { callRpc, type LiveLedger } from '@fresnel/testing/stack';
import { HostFolder } from './host-folder';
import { LiveDeployment } from './live-deployment';
import { TestPod } from './load';
import { type LocalDeployment } from './local-deployment';

jest.setTimeout(1_800_000);

const CATCH_UP_MS = 300_000;
const PORT = 8790;
/** More transactions than the index has. */
const ALL = 10_000;
const SERVER = { 'app.kubernetes.io/name': 'fresnel', 'app.kubernetes.io/component': 'snapshot-server' };

/** A node that also has the accounts of trees, and transactions. */
function prepare(ledger: LiveLedger): void {
  addTreeAccounts(ledger);
  ledger.node.methods.set('getTransaction', ([signature]) => {
    const found = ledger.oracle.getTransactionWithCompressionInfo(String(signature));
    return found && new ExactJson(found.transaction);
  });
}

const SERVICE = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'snapshots' },
  spec: { selector: SERVER, ports: [{ name: 'http', port: PORT }] },
};

const ANYONE_TO_SERVER = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name: 'anyone-to-snapshots' },
  spec: { podSelector: { matchLabels: SERVER }, policyTypes: ['Ingress'], ingress: [{ ports: [{ port: PORT }] }] },
};

describe('the CronJob of snapshots', () => {
  let folder: HostFolder;
  let live: LiveDeployment;
  let copy: LocalDeployment;
  beforeAll(async () => {
    folder = await HostFolder.create(`fresnel-snapshots-${randomBytes(4).toString('hex')}`);
    const claim = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'snapshots' },
      spec: { storageClassName: '', volumeName: folder.name },
    };
    live = await LiveDeployment.create({ components: { snapshots: {} }, patches: [claim] }, prepare);
  });
  afterAll(async () => {
    await live.close();
    await folder.delete();
  });

  const indexedSlot = async (deployment: LocalDeployment) => {
    const gateway = await deployment.forwardGateway();
    const { result } = await callRpc(gateway.url, { method: 'getIndexerSlot', params: [] });
    await gateway.stop();
    return result;
  };
  const waitForTip = (deployment: LocalDeployment) =>
    eventually('all blocks are indexed', async () => (await indexedSlot(deployment)) === live.ledger.tip, CATCH_UP_MS);

  it('writes a snapshot', async () => {
    await waitForTip(live.deployment);
    await live.deployment.run(['create', 'job', 'drill', '--from=cronjob/snapshot']);
    await live.deployment.run(['wait', '--for=condition=Complete', 'job/drill', '--timeout=300s']);
    expect(await readManifestHash()).toMatch(/^[0-9a-f]{64}$/);
  });

  async function readManifestHash(): Promise<string | undefined> {
    const log = await live.deployment.run(['logs', 'job/drill']);
    return /manifest sha256 (\w+)/.exec(log)?.[1];
  }

  it('from which another index starts, that is equal to the first one', async () => {
    const args = ['dist/apps/standalone/main.js', 'snapshot', 'serve', '/snapshots', '--host', '0.0.0.0'];
    for (const manifest of [SERVICE, ANYONE_TO_SERVER]) await live.deployment.applyManifest(manifest);
    await TestPod.start(live.deployment, 'snapshot-server', {
      args: [...args, '--port', String(PORT)],
      claims: { '/snapshots': 'snapshots' },
      labels: SERVER,
    });
    const known = live.ledger.node.requests.length;
    copy = await live.deployAnother({
      components: { history: {} },
      secrets: { 'fresnel-history': { url: `snapshot+http://snapshots.${live.deployment.namespace}:${PORT}` } },
      settings: { HISTORY_SNAPSHOT_SHA256: String(await readManifestHash()) },
    });
    await waitForTip(copy);
    const blocks = live.ledger.node.requests.slice(known).filter(({ method }) => method === 'getBlock');
    const first = Math.min(...blocks.map(({ params }) => Number(params[0])));
    console.log(`${live.ledger.revealed.length} blocks; the copy read blocks from slot ${first} on`);
    expect(first).toBeGreaterThan(live.ledger.revealed[50].slot);

    const against = `http://gateway.${live.deployment.namespace}:8784`;
    const verify = `dist/apps/standalone/main.js verify --json --samples ${ALL} --url http://gateway:8784 --against ${against}`;
    // The report says more than its exit code.
    const command = ['sh', '-c', `env --unset=SOLANA_RPC_URL node ${verify} || true`];
    const report = await copy.run(['exec', 'deployment/ingest', '--container=app', '--', ...command]);
    const { counts, ...verification } = JSON.parse(report) as Verification;
    console.log(JSON.stringify(counts));
    expect(verification).toMatchObject({ result: 'equal', isComplete: true, differences: [], notChecked: [] });
  });
});
