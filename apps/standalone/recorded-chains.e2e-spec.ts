import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeNode } from '@fresnel/testing/chain';
import { eventually, Opened } from '@fresnel/testing/generic';
import { FakeGtfa, listRecordedChains, readHistoryLedger } from '@fresnel/testing/history';
import { sendQuestions } from '@fresnel/testing/ledger';
import { type Environment, FresnelProcess, type RpcCall } from '@fresnel/testing/stack';
import { createTestDatabase } from '@fresnel/testing/store';

/** Less than the blocks that follow a recorded chain. */
const DISTANCE = 32;
/** History has no transactions of other programs. */
const ONLY_FROM_BLOCKS = ['getLatestNonVotingSignatures'];

describe('a recorded chain', () => {
  let opened: Opened;
  beforeEach(() => (opened = new Opened()));
  afterEach(() => opened.close());

  /** Starts an index on a new database, and waits until it has all blocks. */
  async function start(env: Environment, tip: number, isReady?: RegExp) {
    const database = opened.add(await createTestDatabase());
    const variables = { ...env, DATABASE_URL: database.url };
    const app = FresnelProcess.start([], variables);
    opened.add({ close: () => app.end('SIGTERM').then(() => undefined) });
    await app.waitForSlot(tip);
    if (isReady) await app.waitFor(isReady);
    return { url: await app.url(), variables };
  }

  /** Makes a snapshot once the trees have the final blocks. @returns false if it is refused: the chain has a quarantined tree */
  async function makeSnapshot(env: Environment, folder: string): Promise<boolean> {
    let made = { code: null as number | null, stderr: '' };
    const isRefused = () => made.stderr.includes('is quarantined');
    await eventually('a snapshot is made or refused', async () => {
      made = await FresnelProcess.run(['snapshot', 'make', folder], env);
      return made.code === 0 || isRefused();
    });
    return !isRefused();
  }

  /** The answers of an index, with all digits of their numbers; each is a result or the code of an error. */
  async function answer(url: string, questions: readonly RpcCall[]) {
    const answers: object[] = [];
    for (const question of questions) {
      const [said] = await sendQuestions(url, [question]);
      answers.push({ ...question, said });
    }
    return answers;
  }

  it.each(listRecordedChains())(
    'gives the same answers from history and a snapshot as from blocks: $name',
    async ({ read }) => {
      const { blocks, accounts, env, questions } = read();
      const node = opened.add(await FakeNode.start(blocks));
      for (const { key, ...account } of accounts) node.accounts.set(key, account);
      const gtfa = opened.add(await FakeGtfa.start(readHistoryLedger(blocks)));
      const folder = mkdtempSync(join(tmpdir(), 'fresnel-recorded-'));
      opened.add({ close: () => rm(folder, { recursive: true }) });
      const asked = questions.filter(({ method }) => !ONLY_FROM_BLOCKS.includes(method));

      const fromNode = {
        SOLANA_RPC_URL: node.url,
        INGEST_POLL_INTERVAL_MS: '50',
        SOLANA_COMMITMENT: 'confirmed',
        ...env,
      };
      const dense = await start(fromNode, node.tip);
      const expected = await answer(dense.url, asked);
      expect(expected.length).toBeGreaterThan(0);
      const isMade = await makeSnapshot(dense.variables, folder);

      const gtfaEnv = { HISTORY_URL: gtfa.url, HISTORY_ANCHOR_DISTANCE: String(DISTANCE) };
      for (const history of [gtfaEnv, ...(isMade ? [{ HISTORY_URL: `snapshot+file:${folder}` }] : [])]) {
        const sparse = await start({ ...fromNode, ...history }, node.tip, /history is complete|history lacks/);
        expect(await answer(sparse.url, asked)).toEqual(expected);
      }
    },
  );
});
