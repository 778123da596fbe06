import { RpcClient } from '@fresnel/client';
import { decodeBase58, toBase58 } from '@fresnel/domain/primitives';
import {
  findProblems,
  findViolations,
  launchBrowser,
  listChainViews,
  openPage,
  type OpenedPage,
} from '@fresnel/testing/browser';
import { FakeNode } from '@fresnel/testing/chain';
import { Opened } from '@fresnel/testing/generic';
import { listRecordedChains } from '@fresnel/testing/history';
import { FresnelProcess } from '@fresnel/testing/stack';
import { createTestDatabase } from '@fresnel/testing/store';
import { type Browser } from 'playwright-core';

describe('the explorer of a recorded chain', () => {
  let browser: Browser;
  let opened: Opened;
  beforeAll(async () => (browser = await launchBrowser()));
  afterAll(() => browser.close());
  beforeEach(() => (opened = new Opened()));
  afterEach(() => opened.close());

  async function expectWhole({ page, errors }: OpenedPage): Promise<void> {
    expect([...(await findViolations(page)), ...(await findProblems(page))]).toEqual([]);
    expect(errors).toEqual([]);
  }

  /** What the page of an account says of its proof. @param roots those in the account of the tree on the chain */
  async function proofTexts(url: string, hash: string, roots: Buffer[]): Promise<string[]> {
    const proof = await new RpcClient(url).call('getCompressedAccountProofV2', { hash }).catch(String);
    if (typeof proof === 'string') return [proof.replace(/^\w+: /, '')];
    if (proof.value.proveByIndex) return ['waits in the output queue'];
    roots.push(Buffer.from(decodeBase58(proof.value.root)));
    return ['✓ Checked in this browser', '✓ The account of the tree on the chain has this root.'];
  }

  it.each(listRecordedChains())('shows all that it has, and compares proofs with it: $name', async ({ read }) => {
    const { blocks, accounts, env } = read();
    const node = opened.add(await FakeNode.start(blocks));
    for (const { key, ...account } of accounts) node.accounts.set(key, account);
    const roots: Buffer[] = [];
    node.methods.set('getAccountInfo', () => ({
      context: { slot: node.tip },
      value: { data: [Buffer.concat(roots).toString('base64'), 'base64'] },
    }));
    const database = opened.add(await createTestDatabase());
    const app = FresnelProcess.start([], {
      SOLANA_RPC_URL: node.url,
      UPSTREAM_RPC_PASSTHROUGH: 'default',
      INGEST_POLL_INTERVAL_MS: '50',
      SOLANA_COMMITMENT: 'confirmed',
      DATABASE_URL: database.url,
      GATEWAY_WS_PORT: '0',
      ...env,
    });
    opened.add({ close: () => app.end('SIGTERM').then(() => undefined) });
    await app.waitForSlot(node.tip);
    const url = await app.url();
    const page = opened.add(await openPage(browser, url));
    const main = page.page.locator('main');
    const views = await listChainViews(
      url,
      accounts.map(({ key }) => toBase58(key)),
    );
    for (const { kind, link, texts } of views) {
      const hash = /^account: open/.test(kind) ? link.replace('#/account/', '') : null;
      const ofProof = hash === null ? [] : await proofTexts(url, hash, roots);
      await page.show(link);
      for (const text of [...texts, ...ofProof]) await main.filter({ hasText: text }).waitFor();
      await expectWhole(page);
    }
    await page.show('');
    await page.page.getByText('Live: the server pushes them.').waitFor();
    const { value } = await new RpcClient(url).call('getLatestCompressionSignatures', { limit: 20 });
    expect(await main.locator('tbody tr').count()).toBe(value.items.length);
    await expectWhole(page);
  });
});
