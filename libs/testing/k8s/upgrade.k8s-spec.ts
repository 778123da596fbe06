import { eventually } from '@fresnel/testing/generic';
import { checkAgainstOracle } from '@fresnel/testing/ledger';
import { findLastRelease, readReleased } from '@fresnel/testing/releases';
import { callRpc } from '@fresnel/testing/stack';
import { type ForwardedPort } from './kubectl';
import { LiveDeployment, PROOF_CALL } from './live-deployment';
import { type Manifest } from './manifests';

jest.setTimeout(1_200_000);

/** Tags of the image of the apps. The nodes must have both. */
const { FRESNEL_PREVIOUS_TAG: PREVIOUS_TAG = 'local' } = process.env;
const NEW_TAG = 'local';
const RELEASE = findLastRelease();
const APPS = ['gateway', 'ingest', 'projector', 'prover', 'prover-writer'];
const WRITERS = ['ingest', 'projector', 'prover-writer'];
const CATCH_UP_MS = 300_000;
/** Blocks between the backup and the loss. */
const LATER = 60;
const DUMP = '/data/fresnel.dump';
/** Runs a client program in the pod of Postgres. */
const IN_POSTGRES = ['exec', 'deployment/postgres', '--', 'sh', '-c'];
const CONNECT =
  'PATH="$(echo /usr/lib/postgresql/*/bin):$PATH"; export PGHOST=127.0.0.1 PGUSER=fresnel PGPASSWORD="$(cat "$PASSWORD_FILE")"';

describe(`the local overlay of release ${RELEASE} with the image "${PREVIOUS_TAG}"`, () => {
  let live: LiveDeployment;
  let gateway: ForwardedPort | undefined;
  beforeAll(async () => {
    const released = readReleased(RELEASE, 'manifests/local.json') as Manifest[];
    live = await LiveDeployment.create({ imageTag: PREVIOUS_TAG, released });
  });
  afterEach(() => gateway?.stop());
  afterAll(() => live.close());

  /** Waits until all blocks of the chain are indexed, and compares the answers with the oracle. @returns the URL of the gateway */
  async function expectIndexed(): Promise<string> {
    gateway = await live.deployment.forwardGateway();
    const { url } = gateway;
    const isIndexed = async () => {
      const { result } = await callRpc(url, { method: 'getIndexerSlot', params: [] });
      return result === live.ledger.tip;
    };
    await eventually('all blocks are indexed', isIndexed, CATCH_UP_MS);
    const compared = await checkAgainstOracle(url, live.ledger.oracle);
    console.log(`${compared.questions} answers compared with the oracle`);
    expect(compared.differences).toEqual([]);
    return url;
  }

  async function inPostgres(script: string): Promise<void> {
    await live.deployment.run([...IN_POSTGRES, `set -eu; ${CONNECT}; ${script}`]);
  }

  async function scale(component: string, replicas: number): Promise<void> {
    await live.deployment.run(['scale', `deployment/${component}`, `--replicas=${replicas}`]);
  }

  it('fails no request while it is upgraded, and its index is correct', async () => {
    const upgrade = async () => {
      const load = await live.startMixedLoad('upgrade');
      const startedAt = Date.now();
      await live.deployment.upgrade(NEW_TAG);
      const areNew = async () => {
        const apps = (await live.deployment.listPods()).filter(({ component }) => APPS.includes(component));
        return apps.every(({ image, isReady }) => isReady && image.endsWith(`:${NEW_TAG}`));
      };
      await eventually('all pods run the new version', areNew, CATCH_UP_MS);
      const failures = await load.read('failure');
      const seconds = (Date.now() - startedAt) / 1_000;
      console.log(`upgraded in ${seconds} s; ${await load.countAnswered()} calls answered, ${failures.length} failed`);
      await load.stop();
      expect(failures).toEqual([]);
    };
    await live.growWhile(upgrade());
    await expectIndexed();
  });

  it('goes on from a backup of Postgres that was made under load', async () => {
    const backUp = async () => {
      const load = await live.startMixedLoad('backup');
      await inPostgres(`pg_dump --format=custom --file=${DUMP} fresnel`);
      const failures = await load.read('failure');
      await load.stop();
      expect(failures).toEqual([]);
    };
    await live.growWhile(backUp());
    live.ledger.reveal(LATER);
    const pods = new Map<string, number>();
    for (const name of WRITERS) pods.set(name, (await live.deployment.listPods(name)).length);
    const startedAt = Date.now();
    for (const name of WRITERS) await scale(name, 0);
    for (const name of WRITERS) await live.waitForPods(name, 0, CATCH_UP_MS);
    await inPostgres(
      'psql --dbname=postgres --command="DROP DATABASE fresnel WITH (FORCE)" --command="CREATE DATABASE fresnel"; ' +
        `pg_restore --exit-on-error --dbname=fresnel ${DUMP}`,
    );
    for (const [name, replicas] of pods) await scale(name, replicas);
    const url = await expectIndexed();
    console.log(`restored and indexed in ${(Date.now() - startedAt) / 1_000} s`);
    expect(await callRpc(url, PROOF_CALL)).toMatchObject({ status: 200, code: undefined });
  });
});
