import { type TreeRebuild } from '@fresnel/features/operations';
import { generatedTrees } from '@fresnel/ledger-generator';
import { toBase58 } from '@fresnel/domain/primitives';
import { isAddressTree, type TreeInfo } from '@fresnel/domain/trees';
import { eventually, Opened } from '@fresnel/testing/generic';
import { digestCleanRun, FresnelProcess, LiveLedger, StackUnderTest } from '@fresnel/testing/stack';
import { type DataSource } from 'typeorm';

const HISTORY = 40;
const PACE_MS = 100;
const TREES = generatedTrees().filter(
  ({ type }, at, all) => type.endsWith('V2') && all.findIndex((other) => other.type === type) === at,
);

/** Quarantines a tree whose nodes and elements are wrong. */
async function breakTree(dataSource: DataSource, info: TreeInfo): Promise<void> {
  const kind = isAddressTree(info) ? 'address' : 'state';
  const change = (statement: string) => dataSource.query(`UPDATE ${statement}`, [info.tree]);
  await change(`${kind}_trees SET quarantine_reason = 'a test', root = tree WHERE tree = $1`);
  await change(`${kind}_tree_pages SET nodes = decode(repeat('07', 960), 'hex') WHERE tree_digest = key_digest($1)`);
  await change(`address_tree_elements SET next_index = 0, next_value = value WHERE tree = $1`);
}

describe('quarantined trees of the stack', () => {
  const opened = new Opened();
  afterAll(() => opened.close());

  it('are rebuilt by the command while services run, follow Kafka again, and are served', async () => {
    const ledger = opened.add(await LiveLedger.open({ seed: 53, slots: 3_000, transactionsPerSlot: 1 }, HISTORY));
    const stack = opened.add(
      await StackUnderTest.start(ledger, { replicas: 'ingest=2,projector=1,prover=2,gateway=1' }),
    );
    const { dataSource } = stack.database;
    const count = async (query: string) => {
      const [{ count }] = await dataSource.query<{ count: number }[]>(
        `SELECT count(*)::integer AS count FROM ${query}`,
      );
      return count;
    };

    await stack.end();
    for (const info of TREES) await breakTree(dataSource, info);
    await stack.clearRedis();
    await stack.restart();
    const ignored = (kind: string) => `${kind}_trees WHERE seen_seq > seq OR seen_queue_end > queue_end`;
    await ledger.revealWhile(
      PACE_MS,
      eventually('a tree of each kind has ignored operations', async () => {
        return (await count(ignored('address'))) > 0 && (await count(ignored('state'))) > 0;
      }),
    );

    for (const info of TREES) {
      const from = isAddressTree(info) ? [] : ['--from-empty'];
      const args = ['trees', 'rebuild', toBase58(info.tree), '--without-node', '--json', ...from];
      const env = { DATABASE_URL: stack.database.url, LOG_LEVEL: 'error' };
      const { stdout, stderr } = await FresnelProcess.run(args, env);
      expect(stderr).toBe('');
      expect(JSON.parse(stdout) as TreeRebuild).toMatchObject({ type: info.type, tree: args[2] });
    }
    await ledger.revealWhile(
      PACE_MS,
      eventually('all operations are applied', async () => (await count('tree_republications')) === 0),
    );
    await stack.waitForTip();
    expect(await stack.differences()).toEqual([]);
    expect(await stack.digest()).toBe(await digestCleanRun(ledger.revealed));
    expect(stack.exits()).toEqual([]);
  });
});
