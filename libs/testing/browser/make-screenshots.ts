import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FresnelProcess } from '@fresnel/testing/stack';
import { type Locator, type Page } from 'playwright-core';
import { launchBrowser } from './launch-browser';
import { openPage } from './opened-page';

const ROOT = join(__dirname, '..', '..', '..');
const PAGE = { width: 1_100, height: 900 };
/** After so many, the plots of the home page have a line. */
const RESPONSES = 40;

/** Starts the demo, and writes pictures of its views to docs/images. */
export async function makeScreenshots(): Promise<void> {
  const { account, signature } = JSON.parse(readFileSync(join(ROOT, 'fixtures/demo/keys.json'), 'utf8')) as Record<
    'account' | 'signature',
    string
  >;
  const folder = mkdtempSync(join(tmpdir(), 'fresnel-screenshots-'));
  const demo = FresnelProcess.start([], { FRESNEL_DATA_DIR: folder });
  const browser = await launchBrowser();
  try {
    await demo.waitForSlot(1_305);
    const opened = await openPage(browser, await demo.url());
    const { page } = opened;
    await page.setViewportSize(PAGE);
    const write = (name: string, shown: Page | Locator = page) =>
      shown.screenshot({ path: join(ROOT, 'docs', 'images', `explorer-${name}.png`) });
    await opened.show('');
    for (let count = 0; count < RESPONSES; count++) await page.waitForResponse((response) => response.ok());
    await write('home');
    await opened.show(`#/tx/${signature}`);
    await page.getByText(/Opened \(/).waitFor();
    await write('transaction');
    await opened.show(`#/account/${account}`);
    await page.getByText('Checked in this browser').waitFor();
    await write('account', page.getByRole('region', { name: 'Proof', exact: true }));
  } finally {
    await browser.close();
    await demo.end('SIGTERM');
    rmSync(folder, { recursive: true });
  }
}
