import { decodeBase58 } from '@fresnel/domain/primitives';
import { findProblems, findViolations, launchBrowser, openPage, type OpenedPage } from '@fresnel/testing/browser';
import { FakeNode } from '@fresnel/testing/chain';
import { Opened } from '@fresnel/testing/generic';
import { listRecordedChains } from '@fresnel/testing/history';
import { callRpc, FresnelProcess, type RpcCall } from '@fresnel/testing/stack';
import { createTestDatabase } from '@fresnel/testing/store';
import { type Browser } from 'playwright-core';

const HASH_BYTES = 32;
const SIGNATURE_BYTES = 64;
/** Params of methods, and the views of their values. */
const VIEWS = { hash: 'account', address: 'account', owner: 'owner', mint: 'mint', signature: 'tx' };
const OF_EACH_VIEW = 3;

/** The subjects of a view that the questions name. Some questions are wrong on purpose. */
function subjectsOf(questions: readonly RpcCall[], param: string): string[] {
  const bytes = param === 'signature' ? SIGNATURE_BYTES : HASH_BYTES;
  const values = questions.map(({ params }) => (params as Record<string, unknown> | null | undefined)?.[param]);
  const valid = values.filter((value): value is string => {
    return typeof value === 'string' && /^[1-9A-HJ-NP-Za-km-z]+$/.test(value) && decodeBase58(value).length === bytes;
  });
  return [...new Set(valid)].slice(0, OF_EACH_VIEW);
}

describe('the explorer of a recorded chain', () => {
  let browser: Browser;
  let opened: Opened;
  beforeAll(async () => (browser = await launchBrowser()));
  afterAll(() => browser.close());
  beforeEach(() => (opened = new Opened()));
  afterEach(() => opened.close());

  async function expectWhole(page: OpenedPage): Promise<void> {
    expect(await findViolations(page.page)).toEqual([]);
    expect(await findProblems(page.page)).toEqual([]);
    expect(page.errors).toEqual([]);
  }

  it.each(listRecordedChains())('shows its keys, and compares proofs with the chain: $name', async ({ read }) => {
    const { blocks, accounts, env, questions } = read();
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
    opened.add({
      close: async () => {
        await app.end('SIGTERM');
      },
    });
    await app.waitForSlot(node.tip);
    const url = await app.url();
    const page = opened.add(await openPage(browser, url));
    for (const [param, view] of Object.entries(VIEWS)) {
      for (const subject of subjectsOf(questions, param)) {
        await page.show(`#/${view}/${subject}`);
        await expectWhole(page);
      }
    }
    for (const hash of subjectsOf(questions, 'hash')) {
      const { result } = await callRpc(url, { method: 'getCompressedAccountProofV2', params: { hash } });
      const value = (result as { value: { root: string; proveByIndex: boolean } } | undefined)?.value;
      const account = await callRpc(url, { method: 'getCompressedAccount', params: { hash } });
      const isOpen = (account.result as { value: unknown } | undefined)?.value != null;
      if (!isOpen || !value || value.proveByIndex) continue;
      roots.push(Buffer.from(decodeBase58(value.root)));
      await page.show(`#/account/${hash}`);
      await page.page.getByText('✓ Checked in this browser').waitFor();
      await page.page.getByText('✓ The account of the tree on the chain has this root.').waitFor();
    }
    await page.show('');
    await page.page.getByText('Live: the server pushes them.').waitFor();
    await expectWhole(page);
  });
});
