import { type TreeRebuild } from '@fresnel/features/operations';
import { generatedTrees } from '@fresnel/ledger-generator';
import { toBase58 } from '@fresnel/domain/primitives';
import { isAddressTree, type TreeInfo } from '@fresnel/domain/trees';
import { byFaultForm, eventually, Opened } from '@fresnel/testing/generic';
import { digestCleanRun, FresnelProcess, LiveLedger, StackUnderTest, UnreadableTrees } from '@fresnel/testing/stack';
import { type DataSource } from 'typeorm';

const HISTORY = 20;
/** Each start of a process takes a second. */
const REPLICAS = byFaultForm({
  short: 'ingest=2,projector=1,prover=1,gateway=1',
  long: 'ingest=2,projector=1,prover=2,gateway=1',
});
/** A tree of each kind. */
const BROKEN = generatedTrees().filter(
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

describe('the trees of the stack', () => {
  const opened = new Opened();
  let ledger: LiveLedger;
  let trees: UnreadableTrees;
  let stack: StackUnderTest;

  beforeAll(async () => {
    ledger = opened.add(await LiveLedger.open({ seed: 43, slots: 3_000, transactionsPerSlot: 1 }, HISTORY));
    trees = new UnreadableTrees(ledger);
    stack = opened.add(await StackUnderTest.start(ledger, { env: trees.env, replicas: REPLICAS }));
  });
  afterAll(() => opened.close());

  async function count(query: string): Promise<number> {
    const [{ count }] = await stack.database.dataSource.query<{ count: number }[]>(
      `SELECT count(*)::integer AS count FROM ${query}`,
    );
    return count;
  }

  /** Lets the node return the trees, and waits until each operation is applied. */
  async function repair(): Promise<void> {
    trees.repair();
    await ledger.revealWhile(
      eventually('no dead letter is left, and no operation of a tree has to be published again', async () => {
        return (await count('dead_letters')) === 0 && (await count('tree_republications')) === 0;
      }),
    );
  }

  async function expectCleanRun(): Promise<void> {
    await stack.waitForTip();
    expect(await stack.differences()).toEqual([]);
    expect(await stack.digest()).toBe(await digestCleanRun(ledger.revealed));
  }

  it('leave no dead letter once they can be read, although two ingests retry them', async () => {
    expect(await count('dead_letters')).toBeGreaterThan(HISTORY / 4);
    await repair();
    await expectCleanRun();
    expect(stack.exits()).toEqual([]);
  });

  it('are rebuilt by the command while services run, follow Kafka again, and are served', async () => {
    await repair();
    await stack.waitForTip();
    expect(await stack.differences()).toEqual([]);
    await whileProversAreFrozen(async () => {
      for (const info of BROKEN) await breakTree(stack.database.dataSource, info);
      await stack.clearRedis();
    });
    const { restarts } = stack;
    const ignored = (kind: string) => `${kind}_trees WHERE seen_seq > seq OR seen_queue_end > queue_end`;
    await ledger.revealWhile(
      eventually('a tree of each kind has ignored operations', async () => {
        return (await count(ignored('address'))) > 0 && (await count(ignored('state'))) > 0;
      }),
    );

    for (const info of BROKEN) {
      const from = isAddressTree(info) ? [] : ['--from-empty'];
      const args = ['trees', 'rebuild', toBase58(info.tree), '--without-node', '--json', ...from];
      const env = { DATABASE_URL: stack.database.url, LOG_LEVEL: 'error' };
      const { stdout, stderr } = await FresnelProcess.run(args, env);
      expect(stderr).toBe('');
      expect(JSON.parse(stdout) as TreeRebuild).toMatchObject({ type: info.type, tree: args[2] });
    }
    await ledger.revealWhile(
      eventually('all operations are applied', async () => (await count('tree_republications')) === 0),
    );
    await expectCleanRun();
    expect(stack.exits().slice(restarts)).toEqual([]);
  });

  /** Changes what provers have stored behind their backs. They are killed, and the stack starts others, which load it. */
  async function whileProversAreFrozen(change: () => Promise<void>): Promise<void> {
    const provers = stack.replicas().filter(({ service }) => service === 'prover');
    const restarts = stack.restarts + provers.length;
    for (const { pid } of provers) process.kill(pid, 'SIGSTOP');
    await change().finally(() => {
      for (const { pid } of provers) process.kill(pid, 'SIGKILL');
    });
    await eventually('the provers were started again', () => stack.restarts === restarts);
  }
});
