import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sendHttp } from '@fresnel/testing/generic';
import { FresnelProcess } from '@fresnel/testing/stack';

/** What ends cleanly does so well within this. */
const SHUTDOWN_MS = 10_000;

describe('the demo', () => {
  let folder: string;
  beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'fresnel-demo-'))));
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });
  const start = () => FresnelProcess.start([], { FRESNEL_DATA_DIR: folder });
  const indexed = async (demo: FresnelProcess) => Number((await demo.waitFor(/"after":(\d+),/))[1]);

  it('answers a first request on an empty folder, and ends on SIGTERM', async () => {
    const demo = start();
    const [, url] = await demo.waitFor(/Fresnel listens at (http:\S+) and indexes the demo ledger/);
    await demo.waitFor(/"method":"getCompressedMintTokenHolders"/);
    await demo.waitFor(
      /\{"jsonrpc":"2\.0","id":"demo","result":\{"context":\{"slot":\d+\},"value":\{"items":\[\{"owner":/,
    );
    expect(url).toBe(await demo.url());
    await demo.waitForSlot(1_305);
    await demo.waitFor(/Ctrl-C ends it/);
    for (const [, body] of demo.said.matchAll(/-d '(.*)'$/gm)) {
      const { status, text } = await sendHttp(url, { body });
      expect([body, status, text]).toEqual([body, 200, expect.stringMatching(/"result":[^n]/)]);
      expect(text).not.toMatch(/"items":\[\]|"value":null/);
    }
    const startedAt = Date.now();
    const { code, stderr } = await demo.end('SIGTERM');
    expect([code, Date.now() - startedAt < SHUTDOWN_MS]).toEqual([0, true]);
    expect(stderr).toContain('"msg":"stopped"');
    expect(existsSync(join(folder, 'postmaster.pid'))).toBe(false);
  });

  it('goes on where it was, also after it was killed', async () => {
    const again = start();
    expect(await indexed(again)).toBeGreaterThanOrEqual(1_305);
    await again.waitForSlot(1_310);
    await again.end('SIGKILL');
    const afterKill = start();
    expect(await indexed(afterKill)).toBeGreaterThanOrEqual(1_309);
    await afterKill.waitForSlot(1_312);
    expect((await afterKill.end('SIGINT')).code).toBe(0);
  });

  it('says so when the folder is taken', async () => {
    const first = start();
    await first.url();
    const { code, stderr } = await FresnelProcess.run([], { FRESNEL_DATA_DIR: folder });
    expect(code).toBe(1);
    expect(stderr).toMatch(/is in use by process \d+: stop the other Fresnel, or choose another FRESNEL_DATA_DIR/);
    await first.end('SIGTERM');
  });
});
