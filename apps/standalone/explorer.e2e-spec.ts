import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  answerHostile,
  findAllProblems,
  findProblems,
  findViolations,
  launchBrowser,
  openPage,
  type OpenedPage,
} from '@fresnel/testing/browser';
import { sendHttp } from '@fresnel/testing/generic';
import { FresnelProcess } from '@fresnel/testing/stack';
import { type Browser, type Route } from 'playwright-core';

const KEYS = JSON.parse(readFileSync(join(__dirname, '../../fixtures/demo/keys.json'), 'utf8')) as Record<
  'mint' | 'tokenOwner' | 'owner' | 'account' | 'signature',
  string
>;
/** A V2 tree of the demo. */
const TREE = 'bmt1LryLZUMmF7ZtqESaw7wifBXLfXHQYoE4GAmrahU';
const SLOT = 1_004;
const NEWEST_SLOT = 1_305;
const FIRST_VIEW_BYTES = 250_000;
const ASSETS = join(__dirname, '../../dist/explorer/assets');

/** The views, and a text that each shows. */
const VIEWS: [string, string, RegExp][] = [
  ['home', '', /Lag behind the chain[^]*Newest compression transactions[^]*Slot/],
  ['transaction', `#/tx/${KEYS.signature}`, /Closed \(4\)[^]*Opened \(8\)/],
  ['account', `#/account/${KEYS.account}`, /✓ Checked in this browser: 26 hashes[^]*forwards nothing to a Solana node/],
  ['owner', `#/owner/${KEYS.tokenOwner}`, /Token balances[^]*Token accounts/],
  ['mint', `#/mint/${KEYS.mint}`, /Holders of compressed tokens/],
  ['tree', `#/tree/${TREE}`, /Proofs are served\s*yes[^]*output queue/],
  ['slot', `#/slot/${SLOT}`, /Compression transactions of slot 1,004/],
  ['connect', '#/connect', /createRpc/],
  ['operators', '#/operators', /Slots in the index\s*1,00[^]*None: every transaction could be read/],
  ['a search without a result', `#/search?q=${TREE.slice(0, -1)}V`, /no hash, address, owner, mint or tree/],
  ['an incomplete link', '#/tx/abc', /This link names no signature/],
  ['nothing', '#/nothing', /This page does not exist/],
];

describe('the explorer', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fresnel-explorer-'));
  let demo: FresnelProcess;
  let browser: Browser;
  let url: string;
  let opened: OpenedPage;
  beforeAll(async () => {
    demo = FresnelProcess.start([], { FRESNEL_DATA_DIR: folder, GATEWAY_OPERATOR_STATUS: 'true' });
    [browser, url] = await Promise.all([launchBrowser(), demo.url()]);
    await demo.waitForSlot(NEWEST_SLOT);
  });
  afterAll(async () => {
    await browser.close();
    await demo.end('SIGTERM');
    rmSync(folder, { recursive: true });
  });
  beforeEach(async () => {
    opened = await openPage(browser, url);
  });
  afterEach(async () => {
    await opened.close();
    expect(opened.errors).toEqual([]);
    expect(opened.requests.filter((request) => !/^(about:|ws:)/.test(request) && !request.startsWith(url))).toEqual([]);
  });
  const mainText = () => opened.page.locator('main').innerText();

  it.each(VIEWS)('shows %s at all widths, in both themes, to screen readers and by keyboard', async (_, link, text) => {
    const { page } = opened;
    await opened.show(link);
    const isShown = await page
      .locator('main')
      .filter({ hasText: text })
      .waitFor()
      .then(
        () => true,
        () => false,
      );
    // If not, the error says what the page shows instead.
    if (!isShown) expect([opened.failures, await mainText()]).toEqual([[], expect.stringMatching(text)]);
    expect(await findAllProblems(page)).toEqual([]);
  });

  it('is used by keyboard alone', async () => {
    const { page } = opened;
    await opened.show('');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content');
    await page.getByRole('searchbox').focus();
    await page.keyboard.type('0OIl');
    await page.keyboard.press('Enter');
    await page.getByText('This is not base58').waitFor();
    await page.getByRole('searchbox').fill('');
    await page.keyboard.type(KEYS.mint);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Mint', exact: true }).waitFor();
    expect(page.url()).toBe(`${url}/#/mint/${KEYS.mint}`);
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Mint');
    const holder = page.locator('main table a').first();
    await holder.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Owner', exact: true }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'Next page' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'First page' }).waitFor();
    expect(page.url()).toContain('?after=');
  });

  it('finds a signature, a slot and what a key is', async () => {
    const { page } = opened;
    await opened.show('');
    for (const [query, heading] of [
      [KEYS.signature, 'Transaction'],
      ['1,004', 'Slot'],
      [KEYS.account, 'Compressed account'],
      [TREE, 'Tree'],
    ]) {
      await page.getByRole('searchbox').fill(query);
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByRole('heading', { name: heading, exact: true }).waitFor();
    }
  });

  it('shows examples that work', async () => {
    await opened.show('#/connect');
    const exampleOf = (title: string) => opened.page.getByLabel(`Example: ${title}`, { exact: true }).innerText();
    const program = await exampleOf('TypeScript: @lightprotocol/stateless.js');
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
    expect(Number(stdout)).toBeGreaterThanOrEqual(NEWEST_SLOT);
    const [, target, body] = /curl (\S+) [^]*-d '(.*)'/.exec(await exampleOf('A shell')) ?? [];
    const { text } = await sendHttp(target, { body });
    expect(JSON.parse(text)).toEqual({ jsonrpc: '2.0', id: 1, result: expect.any(Number) });
  });

  it('copies all characters, shows UTC, and keeps the theme', async () => {
    const { page } = opened;
    await opened.show(`#/tx/${KEYS.signature}`);
    await page.getByRole('button', { name: 'Copy signature' }).click();
    await page.getByRole('button', { name: 'Copy signature' }).filter({ hasText: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(KEYS.signature);
    const time = page.locator('main time').first();
    expect([await time.innerText(), await time.getAttribute('title')]).toEqual([
      '11/15/2023, 7:16:54 AM',
      '2023-11-14 22:16:54 UTC',
    ]);
    await page.getByRole('button', { name: 'Theme: auto' }).click();
    await page.getByRole('button', { name: 'Theme: light' }).click();
    await page.reload();
    await page.getByRole('button', { name: 'Theme: dark' }).waitFor();
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
  });

  it('shows hostile contents as data, with all digits', async () => {
    const { page } = opened;
    await page.route(`${url}/`, (route) =>
      route.request().method() === 'POST' ? answerHostile(route) : route.continue(),
    );
    for (const link of ['#/account/11111111111111111111111111111112', `#/tx/${'2'.repeat(88)}`]) {
      await opened.show(link);
      await page.getByText('18,446,744,073,709,551,615').first().waitFor();
      expect(await page.evaluate('globalThis.hacked')).toBeUndefined();
      expect(await findViolations(page)).toEqual([]);
      expect(await findProblems(page)).toEqual([]);
    }
    await page.getByText('Raw JSON').click();
    await page.getByLabel('JSON of the transaction').filter({ hasText: '"fee": 5000' }).waitFor();
    expect(await mainText()).toContain(String.raw`"\ud800\u202e"`);
    expect(await page.evaluate('globalThis.hacked')).toBeUndefined();
    await opened.show('#/account/11111111111111111111111111111112');
    expect(await page.getByLabel('data as text').innerText()).toMatch(/^··<img src=x onerror=.*<\/script>·+A+$/);
    expect(await mainText()).not.toMatch(/\u202e|\ud800(?![\udc00-\udfff])/);
  });

  it.each<[string, (proof: { hash: string; root: string; proof: string[] }) => object]>([
    ['has another hash', ({ proof }) => ({ proof: proof.with(3, KEYS.account) })],
    ['is empty', ({ hash }) => ({ proof: [], root: hash })],
  ])('says that a proof is wrong: it %s', async (_, change) => {
    const { page } = opened;
    await page.route(`${url}/`, async (route) => {
      if (!route.request().postData()?.includes('getCompressedAccountProofV2')) return route.continue();
      const answer = await route.fetch();
      const body = (await answer.json()) as { result: { value: Parameters<typeof change>[0] } };
      Object.assign(body.result.value, change(body.result.value));
      return route.fulfill({ json: body });
    });
    await opened.show(`#/account/${KEYS.account}`);
    await page.getByText('✗ The hashes do not lead to the root').waitFor();
  });

  it.each<[string, (route: Route) => Promise<void>, RegExp]>([
    [
      'limits',
      (route) =>
        route.fulfill({ status: 429, headers: { 'retry-after': '0' }, json: { error: { code: -32005, message: '' } } }),
      /Too many requests/,
    ],
    ['is down', (route) => route.abort(), /The server does not answer/],
    ['is behind something that answers HTML', (route) => route.fulfill({ status: 502, body: '<html>' }), /status 502/],
  ])('explains that a server %s, and goes on when it answers', async (_, answer, text) => {
    const { page } = opened;
    let isBroken = true;
    await page.route(`${url}/`, (route) =>
      isBroken && route.request().method() === 'POST' ? answer(route) : route.continue(),
    );
    await opened.show(`#/tx/${KEYS.signature}`);
    await page.getByRole('alert').filter({ hasText: text }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    isBroken = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Opened (8)').waitFor();
  });

  it('says that a slow server is loading', async () => {
    const { page } = opened;
    let release: () => void = () => undefined;
    const isReleased = new Promise<void>((resolve) => (release = resolve));
    await page.route(`${url}/`, async (route) => {
      if (route.request().method() === 'POST') await isReleased;
      await route.continue();
    });
    await page.goto(`${url}/#/tx/${KEYS.signature}`);
    await page.getByText('Loading…').waitFor();
    release();
    await page.getByText('Opened (8)').waitFor();
  });

  it('is small, and its files never change', async () => {
    const accept = { accept: 'text/html,*/*', 'accept-encoding': 'gzip' };
    const page = await sendHttp(`${url}/`, { method: 'GET', headers: accept });
    expect(page.status).toBe(200);
    expect(page.headers).toMatchObject({ 'cache-control': 'no-cache', vary: expect.stringContaining('Accept') });
    const policy = String(page.headers['content-security-policy']);
    expect(policy).toMatch(/default-src 'none'; script-src 'self'; style-src 'self';/);
    expect(policy).not.toContain('unsafe');
    await opened.show('');
    const assets = opened.requests.filter((request) => request.includes('/assets/'));
    expect(assets.length).toBeGreaterThan(1);
    // Nothing is loaded later: a page cannot load a script again after the network has failed once.
    expect(assets.filter((asset) => asset.endsWith('.js'))).toEqual(
      readdirSync(ASSETS).flatMap((name) => (name.endsWith('.js') ? [`${url}/assets/${name}`] : [])),
    );
    let bytes = page.body.length;
    for (const asset of new Set(assets)) {
      const { headers, body } = await sendHttp(asset, { method: 'GET', headers: accept });
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
      bytes += body.length;
    }
    expect(bytes).toBeLessThan(FIRST_VIEW_BYTES);
    expect((await sendHttp(`${url}/`, { method: 'GET', headers: { accept: 'application/json' } })).status).toBe(405);
    expect((await sendHttp(`${url}/assets/nothing.js`, { method: 'GET', headers: accept })).status).toBe(405);
  });
});
