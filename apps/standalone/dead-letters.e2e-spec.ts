import { eventually, Opened } from '@fresnel/testing/generic';
import { checkAgainstOracle } from '@fresnel/testing/ledger';
import { digestCleanRun, FresnelProcess, LiveLedger, UnreadableTrees } from '@fresnel/testing/stack';
import { createTestDatabase, digestState } from '@fresnel/testing/store';

const HISTORY = 20;

describe('dead letters of one process', () => {
  const opened = new Opened();
  afterAll(() => opened.close());

  async function end(app: FresnelProcess): Promise<void> {
    await app.end('SIGKILL');
  }

  it('are retried, also after a restart, and disappear once their trees can be read', async () => {
    const ledger = opened.add(await LiveLedger.open({ seed: 41, slots: 3_000, transactionsPerSlot: 1 }, HISTORY));
    const trees = new UnreadableTrees(ledger);
    const database = await createTestDatabase();
    opened.add({ close: () => database.drop() });
    const countRows = async (table: string) => {
      const [{ count }] = await database.dataSource.query<{ count: number }[]>(
        `SELECT count(*)::integer AS count FROM ${table}`,
      );
      return count;
    };
    const countLetters = () => countRows('dead_letters');
    const env = { ...ledger.env, ...trees.env, DATABASE_URL: database.url };

    const first = FresnelProcess.start([], env);
    opened.add({ close: () => end(first) });
    await first.waitForSlot(ledger.tip);
    expect(await countLetters()).toBeGreaterThan(HISTORY / 4);
    await first.end('SIGKILL');

    const second = FresnelProcess.start([], env);
    opened.add({ close: () => end(second) });
    await second.waitForSlot(ledger.tip);
    trees.repair();
    await ledger.revealWhile(
      eventually('no dead letter is left, and no operation of a tree has to be published again', async () => {
        return (await countLetters()) === 0 && (await countRows('tree_republications')) === 0;
      }),
    );
    await second.waitForSlot(ledger.tip);
    // The address trees are served, although operations of them were in dead letters.
    expect((await checkAgainstOracle(await second.url(), ledger.oracle, { validityProofs: true })).differences).toEqual(
      [],
    );
    expect(await digestState(database.dataSource)).toBe(await digestCleanRun(ledger.revealed));
  });
});
