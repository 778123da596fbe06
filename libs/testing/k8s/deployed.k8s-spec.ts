import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, postJson, sendHttp } from '@fresnel/testing/generic';
import { type ForwardedPort } from './kubectl';
import { LocalDeployment } from './local-deployment';

const KEYS = JSON.parse(readFileSync(join(__dirname, '..', '..', '..', 'fixtures', 'demo', 'keys.json'), 'utf8')) as {
  mint: string;
  account: string;
  newAddress: string;
};
/** The demo ledger has more blocks than this at its start. */
const SOME_SLOTS = 100;

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
    await eventually('slots are indexed', async () => Number(await call('getIndexerSlot')) > SOME_SLOTS);
    expect(await call('getCompressedAccount', { hash: KEYS.account })).toMatchObject({ value: { hash: KEYS.account } });
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

  it('is ready', async () => {
    const { status } = await sendHttp(`${gateway.url}/health/ready`, { method: 'GET', headers: {} });
    expect(status).toBe(200);
  });

  it('has no pod that was restarted', async () => {
    const { items } = JSON.parse(await deployment.run(['get', 'pods', '--output', 'json'])) as {
      items: { metadata: { name: string }; status: { containerStatuses: { restartCount: number }[] } }[];
    };
    const restarted = items.filter(({ status }) =>
      status.containerStatuses.some(({ restartCount }) => restartCount > 0),
    );
    expect(restarted.map(({ metadata }) => metadata.name)).toEqual([]);
  });
});
