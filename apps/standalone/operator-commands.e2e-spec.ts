import { DeadLetterStore, ProjectionStore } from '@fresnel/adapters/store-write';
import { InMemoryTreeStore, PostgresTreeJournal, toTreeLog, TreeRepublications } from '@fresnel/adapters/tree-store';
import { poseidon } from '@fresnel/domain/poseidon';
import { type Hash, toBase58, toSlot } from '@fresnel/domain/primitives';
import { type Status } from '@fresnel/features/operations';
import { generatedTrees } from '@fresnel/ledger-generator';
import { encodeTreeAccount, FakeNode, linkBlocks } from '@fresnel/testing/chain';
import { Opened } from '@fresnel/testing/generic';
import { FresnelProcess, LiveLedger } from '@fresnel/testing/stack';
import { slotUpdate, testSignature } from '@fresnel/testing/slots';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';
import {
  AddressTreeModel,
  commitOf,
  commitTo,
  testAddress,
  testAddresses,
  testAddressTree,
} from '@fresnel/testing/trees';

const LETTER = {
  signature: testSignature(7),
  index: 3,
  reasons: ['a tree could not be read'],
  json: '{"big":18446744073709551615}',
};

describe('the commands for operators', () => {
  const opened = new Opened();
  let database: TestDatabase;
  let env: Record<string, string>;
  beforeAll(async () => {
    database = await createTestDatabase();
    opened.add({ close: () => database.drop() });
    env = { DATABASE_URL: database.url, LOG_LEVEL: 'error' };
    const slot = slotUpdate(10, {}, { deadLetters: [LETTER, { ...LETTER, index: 4 }] });
    const chainTip = { slot: toSlot(25), seenAt: new Date() };
    await new ProjectionStore(database.dataSource).persistSlots({ slots: [slot], chainTip, position: null });
  });
  afterAll(() => opened.close());

  const run = (...args: string[]) => FresnelProcess.run(args, env);

  it('show the status as a table and as JSON', async () => {
    const table = await run('status');
    expect([table.code, table.stderr]).toEqual([0, '']);
    expect(table.stdout).toMatch(
      /^indexed slot +10\nchain tip +25, seen \d+ s ago\nlag +15 slots\ndead letters +2\nrevision +0 reverts and late additions\n$/,
    );
    const json = JSON.parse((await run('status', '--json')).stdout) as Status;
    expect(json).toMatchObject({
      indexedSlot: 10,
      lagSlots: 15,
      deadLetters: 2,
      consumers: [],
      trees: [],
      problems: [],
    });
  });

  it('list, inspect and retry dead letters', async () => {
    const listed = await run('dead-letters', 'list');
    expect(listed.stdout.split('\n')).toHaveLength(4);
    expect(listed.stdout).toMatch(/^10 +3 .* 0 .* a tree could not be read$/m);
    expect(JSON.parse((await run('dead-letters', 'list', '--slot', '11', '--json')).stdout)).toEqual([]);
    const inspected = (await run('dead-letters', 'inspect', '10', '3')).stdout;
    expect(inspected).toContain('"transaction": {"big":18446744073709551615}');
    expect(JSON.parse(inspected)).toMatchObject({ slot: 10, index: 3, reasons: LETTER.reasons, retries: 0 });
    const letters = new DeadLetterStore(database.dataSource);
    const due = { limit: 10, maxSlot: toSlot(10), firstPauseMs: 3_600_000, maxPauseMs: 3_600_000 };
    expect(await letters.takeDue(due)).toHaveLength(2);
    expect((await run('dead-letters', 'retry', '--slot', '10', '--index', '4')).stdout).toMatch(
      /^1 dead letters are due/,
    );
    expect((await letters.takeDue(due)).map(({ index }) => index)).toEqual([4]);
    expect((await run('dead-letters', 'retry', '--all')).stdout).toMatch(/^2 dead letters are due/);
  });

  it('rebuild a quarantined tree, and compare its root with the chain', async () => {
    const model = new AddressTreeModel(testAddressTree('addressV1'), poseidon);
    model.insert(...testAddresses(0, 4));
    const { seq, root, nextIndex } = model;
    const commit = commitOf(model); // with nodes of another hash function
    const quarantined = { ...commit.head, quarantineReason: 'the root differs' };
    const store = await InMemoryTreeStore.open(poseidon, new PostgresTreeJournal(database.dataSource, toTreeLog()));
    await commitTo(store, [{ ...commit, head: quarantined }], { slot: toSlot(10) });
    const node = opened.add(await FakeNode.start(linkBlocks([10])));
    const tree = toBase58(model.info.tree);
    const account = (observedRoot: Hash) => {
      node.accounts.set(model.info.tree, {
        owner: model.info.tree,
        data: encodeTreeAccount({
          ...model.info,
          observed: { ...model.info.observed, seq, nextIndex: BigInt(nextIndex), root: observedRoot },
        }),
      });
    };
    const rebuild = (...args: string[]) =>
      FresnelProcess.run(['trees', 'rebuild', tree, ...args], { ...env, SOLANA_RPC_URL: node.url });

    expect(await run('trees', 'rebuild', tree)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('SOLANA_RPC_URL is not set') as string,
    });
    account(testAddress(9));
    expect(await rebuild()).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /stored addresses themselves differ .* trees rebuild amt1\S+ --from-empty/,
      ) as string,
    });
    account(root);
    const rebuilt = await rebuild('--json');
    expect(rebuilt.stderr).toBe('');
    expect(JSON.parse(rebuilt.stdout)).toEqual({
      tree,
      type: 'addressV1',
      seq: Number(seq),
      nextLeafIndex: nextIndex,
      queuedAddresses: 0,
      root: toBase58(root),
      rootNotCompared: null,
      republishedFromSlot: 10,
    });
    const trees = (JSON.parse((await run('status', '--json')).stdout) as Status).trees;
    expect(trees).toMatchObject([{ tree, state: 'served' }]);
    expect(await rebuild()).toMatchObject({ code: 1, stderr: expect.stringContaining('is not quarantined') as string });
    expect((await run('trees', 'republish', tree, '--from', '7')).stdout).toContain('from slot 7 on');
    const requests = await new TreeRepublications(database.dataSource.manager).list();
    expect(requests).toMatchObject([{ fromSlot: 7 }]);
  });

  it('hand the trees over to another log, whose process is refused until then', async () => {
    const store = await InMemoryTreeStore.open(poseidon, new PostgresTreeJournal(database.dataSource, toTreeLog()));
    await commitTo(store, []);
    const openOther = () =>
      InMemoryTreeStore.open(poseidon, new PostgresTreeJournal(database.dataSource, toTreeLog('other.tree-updates')));
    await expect(openOther()).rejects.toThrow('run "fresnel trees hand-over other.tree-updates --generation 1"');
    const handed = await run('trees', 'hand-over', 'other.tree-updates');
    expect(handed).toMatchObject({ code: 0, stdout: 'the trees belong to other.tree-updates (generation 1)\n' });
    await commitTo(await openOther(), []);
    await expect(commitTo(store, [])).rejects.toMatchObject({ code: 'other-log' });
    await run('trees', 'hand-over', 'tree-updates', '--generation', '1');
    await commitTo(store, []);
  });

  it.each([
    [['trees'], 2, 'requires one of rebuild, republish and hand-over'],
    [['trees', 'hand-over'], 2, 'requires one LOG'],
    [['trees', 'hand-over', 'tree-updates', '--generation', '0'], 2, '--generation 0 is not a number above 0'],
    [['trees', 'rebuild'], 2, 'require one TREE'],
    [['trees', 'rebuild', 'tree'], 2, 'tree is not the address of a tree'],
    [['trees', 'republish', 'amt1Ayt45jfbdw5YSo7iz6WZxUmnZsQTYXy82hVwyC2'], 2, 'requires --from SLOT'],
    [['dead-letters'], 2, 'requires one of list, inspect and retry'],
    [['dead-letters', 'retry'], 2, 'requires either --slot or --all'],
    [['dead-letters', 'inspect', '10'], 2, 'requires SLOT and INDEX'],
    [['dead-letters', 'inspect', '10', '9'], 1, 'slot 10 has no dead letter 9'],
    [['status', '--fast'], 2, "Unknown option '--fast'"],
  ])('reject %j', async (args, expected, message) => {
    const { code, stderr } = await run(...args);
    expect(code).toBe(expected);
    expect(stderr).toContain(message);
  });

  it('work beside a process that runs the embedded Postgres, and without it', async () => {
    const ledger = opened.add(await LiveLedger.open({ seed: 5, slots: 20, transactionsPerSlot: 1 }, 20));
    const app = FresnelProcess.start([], ledger.env);
    await app.waitForSlot(ledger.tip);
    const status = async () =>
      JSON.parse(
        (await FresnelProcess.run(['status', '--json'], { ...ledger.env, LOG_LEVEL: 'error' })).stdout,
      ) as Status;
    const beside = await status();
    expect([beside.indexedSlot, beside.chainTip?.slot, beside.problems]).toEqual([ledger.tip, ledger.tip, []]);
    expect(beside.trees.map(({ state }) => state)).toEqual(generatedTrees().map(() => 'served'));
    expect(beside.consumers.map(({ group, topic }) => `${group} ${topic}`).sort()).toEqual([
      'projector slot-events',
      'prover in-process.tree-updates',
    ]);
    await app.end('SIGTERM');
    ledger.node.fail({ kind: 'status', status: 503 }, { times: Infinity });
    const later = await status();
    expect(later).toMatchObject({ indexedSlot: ledger.tip, chainTip: { slot: ledger.tip } });
    expect(later.problems[0]).toMatch(/^the node: /);
  });
});
