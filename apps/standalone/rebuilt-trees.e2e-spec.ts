import { type TreeRebuild } from '@fresnel/features/operations';
import { generatedTrees } from '@fresnel/ledger-generator';
import { isAddressTree } from '@fresnel/domain/trees';
import { toBase58 } from '@fresnel/domain/primitives';
import { eventually, Opened } from '@fresnel/testing/generic';
import { checkAgainstOracle } from '@fresnel/testing/ledger';
import { FresnelProcess, LiveLedger } from '@fresnel/testing/stack';
import { createTestDatabase } from '@fresnel/testing/store';

const HISTORY = 40;
const TREES = generatedTrees().filter(isAddressTree);

describe('quarantined trees of one process', () => {
  const opened = new Opened();
  afterAll(() => opened.close());

  it('are rebuilt by the command, beside the process, and served again', async () => {
    const ledger = opened.add(await LiveLedger.open({ seed: 47, slots: 3_000, transactionsPerSlot: 1 }, HISTORY));
    const database = await createTestDatabase();
    opened.add({ close: () => database.drop() });
    const env = { ...ledger.env, DATABASE_URL: database.url };
    const count = async (query: string) => {
      const [{ count }] = await database.dataSource.query<{ count: number }[]>(
        `SELECT count(*)::integer AS count FROM ${query}`,
      );
      return count;
    };
    const start = async () => {
      const app = FresnelProcess.start([], env);
      opened.add({ close: () => app.end('SIGKILL').then(() => undefined) });
      await app.waitForSlot(ledger.tip);
      return app;
    };

    const first = await start();
    // The indexed slot is that of the tables: the trees may be a little behind.
    await eventually('the trees are stored', async () => (await count('address_trees')) === TREES.length);
    await first.end('SIGTERM');
    await database.dataSource.query(`UPDATE address_trees SET quarantine_reason = 'a test', root = tree`);
    await database.dataSource.query(`UPDATE address_tree_pages SET nodes = decode(repeat('07', 960), 'hex')`);
    await database.dataSource.query(`UPDATE address_tree_elements SET next_index = 0, next_value = value`);
    const app = await start();
    const ignored = `address_trees WHERE seen_seq > seq OR seen_queue_end > queue_end`;
    await ledger.revealWhile(eventually('a tree has ignored operations', async () => (await count(ignored)) > 0));

    for (const { tree, type } of TREES) {
      const args = ['trees', 'rebuild', toBase58(tree), '--without-node', '--json'];
      const { stdout } = await FresnelProcess.run(args, { DATABASE_URL: database.url, LOG_LEVEL: 'error' });
      expect(JSON.parse(stdout) as TreeRebuild).toMatchObject({ type, rootNotCompared: 'no node was asked' });
    }
    await ledger.revealWhile(
      eventually('all operations are applied', async () => (await count('tree_republications')) === 0),
    );
    await app.waitForSlot(ledger.tip);
    expect((await checkAgainstOracle(await app.url(), ledger.oracle, { validityProofs: true })).differences).toEqual(
      [],
    );
  });
});
