import { FakeNode } from '@fresnel/testing/chain';
import { Opened } from '@fresnel/testing/generic';
import { FakeGtfa, listRecordedChains, readHistoryLedger } from '@fresnel/testing/history';
import { callRpc, type Environment, FresnelProcess, type RpcCall } from '@fresnel/testing/stack';
import { createTestDatabase } from '@fresnel/testing/store';

/** Less than the blocks that follow a recorded chain. */
const DISTANCE = 32;
/** History has no transactions of other programs. */
const ONLY_FROM_BLOCKS = ['getLatestNonVotingSignatures'];

describe('a recorded chain', () => {
  let opened: Opened;
  beforeEach(() => (opened = new Opened()));
  afterEach(() => opened.close());

  /** Answers once an index has all blocks; each is a result or the code of an error. */
  async function answer(env: Environment, tip: number, questions: readonly RpcCall[], isReady?: RegExp) {
    const database = opened.add(await createTestDatabase());
    const app = FresnelProcess.start([], { ...env, DATABASE_URL: database.url });
    try {
      await app.waitForSlot(tip);
      if (isReady) await app.waitFor(isReady);
      const url = await app.url();
      const answers: object[] = [];
      for (const { method, params } of questions) {
        const { result, code } = await callRpc(url, { method, params });
        answers.push({ method, params, result, code });
      }
      return answers;
    } finally {
      await app.end('SIGTERM');
    }
  }

  it.each(listRecordedChains())('gives the same answers from history as from blocks: $name', async ({ read }) => {
    const { blocks, accounts, env, questions } = read();
    const node = opened.add(await FakeNode.start(blocks));
    for (const { key, ...account } of accounts) node.accounts.set(key, account);
    const gtfa = opened.add(await FakeGtfa.start(readHistoryLedger(blocks)));
    const dense = { SOLANA_RPC_URL: node.url, INGEST_POLL_INTERVAL_MS: '50', SOLANA_COMMITMENT: 'confirmed', ...env };
    const sparse = { ...dense, HISTORY_URL: gtfa.url, HISTORY_ANCHOR_DISTANCE: String(DISTANCE) };
    const asked = questions.filter(({ method }) => !ONLY_FROM_BLOCKS.includes(method));
    const expected = await answer(dense, node.tip, asked);
    expect(expected.length).toBeGreaterThan(0);
    expect(await answer(sparse, node.tip, asked, /history is complete|history lacks/)).toEqual(expected);
  });
});
