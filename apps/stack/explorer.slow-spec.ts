import { findAllProblems, launchBrowser, openPage } from '@fresnel/testing/browser';
import { eventually, Opened } from '@fresnel/testing/generic';
import { LiveLedger, ServicesUnderTest, UnreadableTrees } from '@fresnel/testing/stack';

const HISTORY = 20;
/** More than the slots between the messages of a partition. */
const FEW_SLOTS = 40;

describe('the explorer of services', () => {
  const opened = new Opened();
  afterAll(() => opened.close());

  it('shows operators what consumers have applied, and what could not be read', async () => {
    const ledger = opened.add(await LiveLedger.open({ seed: 47, slots: 3_000, transactionsPerSlot: 1 }, HISTORY));
    const trees = new UnreadableTrees(ledger, ({ type }) => type.endsWith('V2'));
    const services = opened.add(
      await ServicesUnderTest.launch(ledger, undefined, { ...trees.env, GATEWAY_OPERATOR_STATUS: 'true' }),
    );
    await services.waitForTip();
    const view = opened.add(await openPage(opened.add(await launchBrowser()), services.url));
    const { page } = view;
    const rowsOf = (table: string): Promise<string[][]> => {
      const rows = `document.querySelectorAll('[aria-label="${table}, table"] tbody tr')`;
      const cells = `[...${rows}].map((row) => [...row.cells].map((cell) => cell.textContent))`;
      return page.evaluate<string[][]>(cells);
    };
    const query = <Row>(statement: string) => services.database.dataSource.query<Row[]>(statement);

    /** The rows of the page, once they are those of the tables. */
    const waitForConsumers = async (): Promise<string[][]> => {
      let rows: string[][] = [];
      await eventually('the page shows the positions of all consumers', async () => {
        const positions = await query<{
          consumer_group: string;
          topic: string;
          partition: number;
          slot: string | null;
        }>('SELECT * FROM positions ORDER BY consumer_group, topic, partition');
        const expected = positions.map(({ consumer_group: group, topic, partition, slot }) => {
          const numbers = slot === null ? [null, null] : [Number(slot), Math.max(ledger.tip - Number(slot), 0)];
          return [group, topic, String(partition), ...numbers.map((number) => number?.toLocaleString('en-US') ?? '–')];
        });
        rows = await rowsOf('Consumers');
        return rows.length > 0 && JSON.stringify(rows) === JSON.stringify(expected);
      });
      return rows;
    };
    const lagsOf = (rows: string[][], group: string) =>
      rows.filter(([name]) => name.includes(group)).map((row) => Number(row[4].replace(/,/g, '')));

    await view.show('#/operators');
    const letters = await query<{ reason: string; count: number }>(
      'SELECT reason, count(*)::integer AS count FROM dead_letters, unnest(reasons) AS reason GROUP BY reason ORDER BY reason',
    );
    expect(letters.length).toBeGreaterThan(0);
    expect(await rowsOf('Dead letters')).toEqual(letters.map(({ reason, count }) => [reason, String(count)]));

    await services.stopWriters(['prover']);
    ledger.reveal(FEW_SLOTS);
    await services.waitForTip();
    const stopped = await waitForConsumers();
    expect(Math.min(...lagsOf(stopped, 'prover'))).toBeGreaterThanOrEqual(FEW_SLOTS);
    expect(Math.max(...lagsOf(stopped, 'projector'))).toBeLessThan(FEW_SLOTS);
    expect(await findAllProblems(page)).toEqual([]);

    services.startWriters();
    trees.repair();
    await ledger.revealWhile(page.getByText('None: every transaction could be read.').waitFor());
    await services.waitForTip();
    await eventually('the prover has caught up', async () => {
      return Math.max(...lagsOf(await waitForConsumers(), 'prover')) < FEW_SLOTS;
    });
    expect(view.errors).toEqual([]);
  });
});
