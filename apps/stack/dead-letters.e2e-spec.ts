import { eventually, Opened } from '@fresnel/testing/generic';
import { digestCleanRun, LiveLedger, StackUnderTest, UnreadableTrees } from '@fresnel/testing/stack';

const HISTORY = 20;
const PACE_MS = 100;

describe('dead letters of the stack', () => {
  const opened = new Opened();
  afterAll(() => opened.close());

  it('disappear once their trees can be read, although two ingests retry them', async () => {
    const ledger = opened.add(await LiveLedger.open({ seed: 43, slots: 3_000, transactionsPerSlot: 1 }, HISTORY));
    const trees = new UnreadableTrees(ledger);
    const stack = opened.add(
      await StackUnderTest.start(ledger, { env: trees.env, replicas: 'ingest=2,projector=1,prover=1,gateway=1' }),
    );
    const countRows = async (table: string) => {
      const query = `SELECT count(*)::integer AS count FROM ${table}`;
      return (await stack.database.dataSource.query<{ count: number }[]>(query))[0].count;
    };
    const countLetters = () => countRows('dead_letters');
    expect(await countLetters()).toBeGreaterThan(HISTORY / 4);
    trees.repair();
    await ledger.revealWhile(
      PACE_MS,
      eventually('no dead letter is left, and no operation of a tree has to be published again', async () => {
        return (await countLetters()) === 0 && (await countRows('tree_republications')) === 0;
      }),
    );
    await stack.waitForTip();
    expect(await stack.differences()).toEqual([]);
    expect(await stack.digest()).toBe(await digestCleanRun(ledger.revealed));
    expect(stack.exits()).toEqual([]);
  });
});
