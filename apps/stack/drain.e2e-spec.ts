import { eventually, Opened, postJson, sendHttp } from '@fresnel/testing/generic';
import { sharedRedis } from '@fresnel/testing/servers';
import { FresnelProcess } from '@fresnel/testing/stack';
import { createTestDatabase, setIndexedSlot } from '@fresnel/testing/store';

const START_MS = 180_000;
/** Long enough for several requests on a slow machine. */
const DRAIN_MS = 8_000;
/** Longer than a test. */
const ENDLESS_MS = 500_000;

describe('a gateway that shuts down', () => {
  const opened = new Opened();
  let env: Record<string, string>;
  beforeAll(async () => {
    const database = await createTestDatabase();
    opened.add({ close: () => database.drop() });
    await setIndexedSlot(database.dataSource, 7);
    const redis = await sharedRedis();
    // Proofs are not requested, so no prover listens.
    env = {
      DATABASE_URL: database.url,
      REDIS_URL: redis.url,
      REDIS_KEY_PREFIX: redis.prefix,
      PROVER_URL: '127.0.0.1:1',
    };
  });
  afterAll(() => opened.close());

  async function start(drainMs: number): Promise<{ app: FresnelProcess; url: string; healthUrl: string }> {
    const app = FresnelProcess.start([], { ...env, SHUTDOWN_DRAIN_MS: String(drainMs) }, 'gateway');
    opened.add({
      close: async () => {
        await app.end('SIGKILL');
      },
    });
    const [, port] = await app.waitFor(/"port":(\d+),"msg":"serving health and metrics"/, START_MS);
    return { app, url: await app.url(START_MS), healthUrl: `http://127.0.0.1:${port}` };
  }
  const readiness = async (healthUrl: string) =>
    (await sendHttp(`${healthUrl}/health/ready`, { method: 'GET', headers: {} })).status;
  const call = async (url: string) =>
    (await postJson(url, { jsonrpc: '2.0', id: 1, method: 'getIndexerSlot', params: [] })).body;
  const untilUnready = (healthUrl: string) =>
    eventually('it is not ready', async () => (await readiness(healthUrl)) === 503);

  it('is not ready and answers until the drain is over, and exits with code 0', async () => {
    const { app, url, healthUrl } = await start(DRAIN_MS);
    expect(await readiness(healthUrl)).toBe(200);
    const signalledAt = performance.now();
    app.signal('SIGTERM');
    await untilUnready(healthUrl);
    let answered = 0;
    await eventually('connections are refused', async () => {
      // The system resets connections that the server has not accepted when it closes.
      const body = await call(url).catch((error: unknown) => {
        if (/ECONNREFUSED|ECONNRESET/.test(String(error))) return null;
        throw error;
      });
      if (body === null) return true;
      expect(body).toMatchObject({ result: 7 });
      answered++;
      return false;
    });
    expect(performance.now() - signalledAt).toBeGreaterThan(DRAIN_MS);
    expect(answered).toBeGreaterThan(0);
    expect((await app.exited()).code).toBe(0);
  });

  it('names the service in the line of a failure', async () => {
    const { code, stderr } = await FresnelProcess.run([], { ...env, DATABASE_URL: 'none' }, 'gateway');
    expect(code).toBe(2);
    expect(JSON.parse(stderr)).toMatchObject({ level: 60, service: 'fresnel-gateway', msg: 'process failed' });
  });

  it('ends at once after a second signal, and has named the service and its version in every line of the log', async () => {
    const { app, healthUrl } = await start(ENDLESS_MS);
    app.signal('SIGTERM');
    await untilUnready(healthUrl);
    const { code, stderr } = await app.end('SIGTERM');
    expect(code).toBe(1);
    const lines = stderr.trim().split('\n');
    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines) {
      expect(JSON.parse(line)).toMatchObject({ service: 'fresnel-gateway', version: expect.any(String) as string });
    }
  });
});
