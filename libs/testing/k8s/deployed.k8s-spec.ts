import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, postJson } from '@fresnel/testing/generic';
import { type ForwardedPort } from './kubectl';
import { LocalDeployment } from './local-deployment';

const KEYS = JSON.parse(readFileSync(join(__dirname, '..', '..', '..', 'fixtures', 'demo', 'keys.json'), 'utf8')) as {
  mint: string;
  account: string;
  newAddress: string;
};
const COMPONENTS = ['gateway', 'ingest', 'kafka', 'postgres', 'projector', 'prover', 'prover-writer', 'redis'];

describe('the local overlay in a cluster', () => {
  let deployment: LocalDeployment;
  let gateway: ForwardedPort;
  beforeAll(async () => {
    deployment = await LocalDeployment.create({ namespace: `fresnel-test-${randomBytes(4).toString('hex')}` });
    await deployment.waitUntilReady();
    gateway = await deployment.forwardGateway();
  }, 900_000);
  afterAll(async () => {
    await gateway.stop();
    await deployment.delete();
  }, 300_000);

  async function call(method: string, params?: unknown): Promise<unknown> {
    const { body } = await postJson(gateway.url, { jsonrpc: '2.0', id: 1, method, params });
    return (body as { result?: unknown }).result;
  }

  it('answers from the tables', async () => {
    await eventually('the account of the demo is indexed', async () => {
      const found = (await call('getCompressedAccount', { hash: KEYS.account })) as { value?: unknown } | undefined;
      return Boolean(found?.value);
    });
    expect(await call('getCompressedMintTokenHolders', { mint: KEYS.mint, limit: 1 })).toMatchObject({
      value: { items: [expect.anything()] },
    });
  });

  it('answers from the provers', async () => {
    await eventually(
      'a proof is served',
      async () => (await call('getMultipleNewAddressProofs', [KEYS.newAddress])) !== undefined,
    );
  });

  it('has ready pods of every Deployment, and none was restarted', async () => {
    // The autoscalers add pods while the history is indexed.
    await eventually('all pods are ready', async () => (await deployment.listPods()).every(({ isReady }) => isReady));
    const pods = await deployment.listPods();
    expect(new Set(pods.map(({ component }) => component))).toEqual(new Set(COMPONENTS));
    expect(pods.filter(({ restarts }) => restarts > 0)).toEqual([]);
  });

  it('has migrated without a restart', async () => {
    const jsonPath = '{.items[*].status.containerStatuses[*].restartCount}';
    const selector = ['--selector', 'app.kubernetes.io/component=migrate'];
    expect(await deployment.run(['get', 'pods', ...selector, '--output', `jsonpath=${jsonPath}`])).toBe('0');
  });
});
