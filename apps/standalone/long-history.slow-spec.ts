import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HistoryStore } from '@fresnel/adapters/store-write';
import { PostgresTreeReads } from '@fresnel/adapters/tree-store';
import { FakeNode } from '@fresnel/testing/chain';
import { eventually, Opened } from '@fresnel/testing/generic';
import { FileGtfa, setTreeAccounts, writeHistoryFiles } from '@fresnel/testing/history';
import { FresnelProcess } from '@fresnel/testing/stack';
import { createTestDatabase, digestState, type TestDatabase, withoutBlocks } from '@fresnel/testing/store';

const TRANSACTIONS = 20_000;
/** More than on mainnet: what counts here is the number of transactions, and blocks take most of the time of small ones. */
const PER_BLOCK = 40;
const KILLS = 2;
/** So many of about fifty answers are given before a kill. */
const ANSWERS = 16;
/** One step after another takes 76 s of processor time, so ten times as long on a machine that is busy with other things. */
const LIMIT_MS = 1_800_000;

describe('a long history', () => {
  const opened = new Opened();
  afterAll(() => opened.close());

  const openDatabase = async () => {
    const database = await createTestDatabase();
    opened.add({ close: () => database.drop() });
    return database;
  };

  it(
    'gives the tables that its blocks give, also if the process is killed twice',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'fresnel-long-history-'));
      opened.add({ close: () => rm(folder, { recursive: true }) });
      const history = await writeHistoryFiles(folder, TRANSACTIONS, PER_BLOCK);
      const [dense, sparse] = [await openDatabase(), await openDatabase()];
      const replayed = await FresnelProcess.run(['replay', history.ledger], {
        DATABASE_URL: dense.url,
        TREES_FILE: history.trees,
      });
      expect(replayed.code).toBe(0);

      const node = opened.add(await FakeNode.start(history.recent));
      setTreeAccounts(node, await new PostgresTreeReads(dense.dataSource.manager).listHeads());
      const backfill = (provider: FileGtfa) =>
        FresnelProcess.start(['backfill'], {
          DATABASE_URL: sparse.url,
          SOLANA_RPC_URL: node.url,
          HISTORY_URL: provider.url,
          INGEST_START_SLOT: String(history.first),
        });
      for (let kill = 0; kill < KILLS; kill++) {
        const before = await indexedSlot(sparse);
        const stalling = opened.add(await FileGtfa.start(history));
        stalling.provider.fail({ until: Promise.resolve() }, ANSWERS);
        stalling.provider.fail({ until: new Promise(() => undefined) }, 1_000);
        const killed = backfill(stalling);
        await eventually('more of history is indexed', async () => (await indexedSlot(sparse)) > before);
        await killed.end('SIGKILL');
        expect(await indexedSlot(sparse)).toBeLessThan(history.tip);
      }
      const provider = opened.add(await FileGtfa.start(history));
      const { code, stderr } = await backfill(provider).exited();
      expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
      const coverage = await new HistoryStore(sparse.dataSource).findCoverage();
      expect(coverage).toMatchObject({ fromSlot: history.first, toSlot: coverage?.anchorSlot, isChecked: true });
      expect(withoutBlocks(await digestState(sparse.dataSource))).toEqual(
        withoutBlocks(await digestState(dense.dataSource)),
      );
    },
    LIMIT_MS,
  );
});

async function indexedSlot({ dataSource }: TestDatabase): Promise<number> {
  const [{ slot }] = await dataSource.query<{ slot: string | null }[]>(
    `SELECT indexed_slot AS slot FROM indexer_state`,
  );
  return Number(slot ?? 0);
}
