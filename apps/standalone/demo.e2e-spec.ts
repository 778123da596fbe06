import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, sendHttp } from '@fresnel/testing/generic';
import { type Environment, FresnelProcess } from '@fresnel/testing/stack';

describe('the demo', () => {
  let folder: string;
  beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'fresnel-demo-'))));
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });
  const started: FresnelProcess[] = [];
  const start = (command: 'fresnel' | 'npm' = 'fresnel', environment: Environment = {}) => {
    const demo = FresnelProcess.start([], { FRESNEL_DATA_DIR: folder, ...environment }, command);
    started.push(demo);
    return demo;
  };
  // The database of a test that failed would refuse the next one.
  afterEach(() => Promise.all(started.splice(0).map((demo) => demo.end('SIGTERM'))));
  const isDatabaseRunning = () => existsSync(join(folder, 'postgres', 'postmaster.pid'));
  const indexed = async (demo: FresnelProcess) => Number((await demo.waitFor(/"after":(\d+),/))[1]);

  it('answers a first request in an empty folder, and stops on SIGTERM', async () => {
    const demo = start();
    const [, url] = await demo.waitFor(/Fresnel is listening at (http:\S+) and indexes the demo ledger/);
    await demo.waitFor(/"method":"getCompressedMintTokenHolders"/);
    await demo.waitFor(
      /\{"jsonrpc":"2\.0","id":"demo","result":\{"context":\{"slot":\d+\},"value":\{"items":\[\{"owner":/,
    );
    expect(url).toBe(await demo.url());
    await demo.waitForSlot(1_305);
    await demo.waitFor(/Press Ctrl-C to stop/);
    for (const [, body] of demo.output.matchAll(/-d '(.*)'$/gm)) {
      // On a busy machine, trees are more than a second behind for a moment.
      let text = '';
      await eventually(`${body} is answered`, async () => {
        const answer = await sendHttp(url, { body });
        ({ text } = answer);
        return answer.status === 200;
      });
      expect(text).toMatch(/"result":[^n]/);
      expect(text).not.toMatch(/"items":\[\]|"value":null/);
    }
    // A shutdown that is not over in time ends with another code.
    const { code, stderr } = await demo.end('SIGTERM');
    expect(code).toBe(0);
    expect(stderr).toContain('"msg":"stopped"');
    expect(isDatabaseRunning()).toBe(false);
  });

  it('ends with its database when npm is asked to stop', async () => {
    const demo = start('npm');
    await demo.url();
    expect(isDatabaseRunning()).toBe(true);
    const { code, stderr } = await demo.end('SIGTERM');
    expect([code, isDatabaseRunning()]).toEqual([0, false]);
    expect(stderr).toContain('"msg":"stopped"');
  });

  it('depends on no setting of the environment that is meant for others', async () => {
    const demo = start('fresnel', { PGSSLMODE: 'require', PGDATABASE: 'other' });
    await demo.url();
    expect((await demo.end('SIGTERM')).code).toBe(0);
  });

  it('says what to set if its data folder cannot be used', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    const { code, stderr } = await FresnelProcess.run([], { FRESNEL_DATA_DIR: join(file, 'data') });
    expect(code).toBe(1);
    expect(stderr).toMatch(/ENOTDIR.*choose another FRESNEL_DATA_DIR, or set DATABASE_URL/); // cspell:ignore ENOTDIR
  });

  it('resumes at its last slot, also after it was killed', async () => {
    const restarted = start();
    expect(await indexed(restarted)).toBeGreaterThanOrEqual(1_305);
    await restarted.waitForSlot(1_310);
    await restarted.end('SIGKILL');
    const afterKill = start();
    expect(await indexed(afterKill)).toBeGreaterThanOrEqual(1_309);
    await afterKill.waitForSlot(1_312);
    expect((await afterKill.end('SIGINT')).code).toBe(0);
  });

  it('fails if another process uses the folder', async () => {
    const first = start();
    await first.url();
    const { code, stderr } = await FresnelProcess.run([], { FRESNEL_DATA_DIR: folder });
    expect(code).toBe(1);
    expect(stderr).toMatch(/is in use by process \d+: stop the other Fresnel, or choose another FRESNEL_DATA_DIR/);
    await first.end('SIGTERM');
  });
});
