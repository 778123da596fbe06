import { PostgresTreeReads } from '@fresnel/adapters/tree-store';
import { parsePubkey } from '@fresnel/domain/primitives';
import { type Verification } from '@fresnel/features/operations';
import { eventually, Opened } from '@fresnel/testing/generic';
import { setTreeAccounts } from '@fresnel/testing/history';
import { FresnelProcess, LiveLedger } from '@fresnel/testing/stack';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';

/** The default of TREE_OWNER: a node lists the trees of this owner. */
const OWNER = parsePubkey('24rt4RgeyjUCWGS2eF7L7gyNMuz6JWdqYpAvb1KRoHxs');
/** Accounts that are added to the list of an owner: more than a page of a thousand. */
const COPIES = 1_500;
/** Above all leaf indices of the ledger. */
const FIRST_COPY = 1_000_000;
const LEDGER = { seed: 3, slots: 14, transactionsPerSlot: 2 };

describe('fresnel verify', () => {
  const opened = new Opened();
  let ledger: LiveLedger;
  let urls: string[];
  let databases: [TestDatabase, TestDatabase];
  beforeAll(async () => {
    ledger = opened.add(await LiveLedger.open(LEDGER, LEDGER.slots));
    databases = await Promise.all([createTestDatabase(), createTestDatabase()]);
    const apps = databases.map((database) =>
      FresnelProcess.start([], { ...ledger.env, DATABASE_URL: database.url, LOG_LEVEL: 'info' }),
    );
    for (const database of databases) opened.add({ close: () => database.drop() });
    for (const app of apps) opened.add({ close: () => app.end('SIGTERM').then(() => undefined) });
    await Promise.all(apps.map((app) => app.waitForSlot(ledger.tip)));
    urls = await Promise.all(apps.map((app) => app.url()));
    const [trees] = databases.map(({ dataSource }) => new PostgresTreeReads(dataSource.manager));
    await eventually('all trees have the tip', async () =>
      [...(await trees.listPartitions()).values()].every(({ slot }) => slot === ledger.tip),
    );
    const heads = await trees.listHeads();
    setTreeAccounts(
      ledger.node,
      heads.map(({ info, ...head }) => ({ ...head, info: { ...info, owner: OWNER } })),
    );
  });
  afterAll(() => opened.close());

  async function verify(index: number, ...args: string[]): Promise<Verification & { code: number | null }> {
    const env = { ...ledger.env, DATABASE_URL: databases[index].url, LOG_LEVEL: 'error' };
    const run = await FresnelProcess.run(['verify', '--json', '--url', urls[index], ...args], env);
    expect(run.stderr).toBe('');
    return { ...(JSON.parse(run.stdout) as Verification), code: run.code };
  }
  const change = (index: number, sql: string) => databases[index].dataSource.query<unknown>(sql);

  it('finds two equal indexes equal, and each equal to the chain', async () => {
    const report = await verify(0, '--against', urls[1]);
    expect(report).toMatchObject({ code: 0, result: 'equal', isComplete: true, differences: [], notChecked: [] });
    const kinds = Object.entries(report.counts).filter(([, { asked }]) => asked > 0);
    expect(kinds.map(([kind]) => kind)).toEqual(Object.keys(report.counts));
    expect(report.counts.proofs.asked).toBeGreaterThan(20);
  });

  it('finds one account that was changed and that only the second page of a list has', async () => {
    const [{ hash }] = (await change(
      0,
      `SELECT hash FROM unspent_accounts WHERE mint IS NULL ORDER BY hash LIMIT 1`,
    )) as { hash: Buffer }[];
    const accounts = `
      INSERT INTO accounts (hash, created_by, leaf_index, tree_id, seq, owner, lamports)
      SELECT sha256(int4send(i)), created_by, ${FIRST_COPY} + i, tree_id, seq, owner, lamports
      FROM accounts, generate_series(1, ${COPIES}) i WHERE hash = $1`;
    const list = `
      INSERT INTO unspent_accounts (owner_digest, leaf_index, hash)
      SELECT key_digest(owner), leaf_index, hash FROM accounts WHERE leaf_index > ${FIRST_COPY}`;
    for (const { dataSource } of databases) {
      await dataSource.query(accounts, [hash]);
      await dataSource.query(list);
    }
    expect(await verify(0, '--against', urls[1])).toMatchObject({ code: 0, differences: [], notChecked: [] });
    await change(1, `UPDATE accounts SET lamports = lamports + 1 WHERE leaf_index = ${FIRST_COPY + COPIES - 100}`);
    const { code, differences } = await verify(0, '--against', urls[1]);
    for (const index of [0, 1]) {
      for (const table of ['unspent_accounts', 'accounts'])
        await change(index, `DELETE FROM ${table} WHERE leaf_index > ${FIRST_COPY}`);
    }
    expect(code).toBe(1);
    expect(differences).toMatchObject([
      {
        kind: 'lists',
        question: expect.stringMatching(/^getCompressedAccountsByOwnerV2 .*"cursor":/) as string,
        at: expect.stringMatching(/^\.items\[\d+\]\.lamports$/) as string,
      },
    ]);
  });

  it('finds one account, one balance and one list that were changed in the tables of another index', async () => {
    await change(
      1,
      `UPDATE owner_lamports SET lamports = lamports + 1 WHERE ctid = (SELECT min(ctid) FROM owner_lamports)`,
    );
    await change(
      1,
      `UPDATE token_holders SET balance = balance + 1 WHERE ctid = (SELECT min(ctid) FROM token_holders)`,
    );
    await change(1, `DELETE FROM unspent_accounts WHERE ctid = (SELECT max(ctid) FROM unspent_accounts)`);
    const report = await verify(0, '--against', urls[1]);
    expect(report).toMatchObject({ code: 1, result: 'differs', notChecked: [] });
    const methods = new Set(report.differences.map(({ question }) => question.split(' ')[0]));
    expect([...methods]).toEqual(
      expect.arrayContaining([
        'getCompressedBalanceByOwner',
        'getCompressedMintTokenHolders',
        'getCompressedAccountsByOwnerV2',
      ]),
    );
    expect(report.differences[0].answers.map(({ by, slot }) => ({ by, slot }))).toEqual([
      { by: 'index', slot: ledger.tip },
      { by: 'against', slot: ledger.tip },
    ]);
  });

  it('finds an account that was removed, from the transaction that created it', async () => {
    const [{ hash }] = (await change(1, `SELECT hash FROM unspent_accounts LIMIT 1`)) as { hash: Buffer }[];
    await databases[1].dataSource.query(`DELETE FROM accounts WHERE hash = $1`, [hash]);
    const { differences } = await verify(1, '--against', urls[0]);
    expect(differences.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['transactions', 'accounts']));
  });

  it('finds an account that was changed, by its hash, with the chain alone', async () => {
    const [{ hash }] = (await change(0, `SELECT hash FROM accounts WHERE owner IS NOT NULL LIMIT 1`)) as {
      hash: Buffer;
    }[];
    const add = (lamports: number) =>
      databases[0].dataSource.query(`UPDATE accounts SET lamports = lamports + $2 WHERE hash = $1`, [hash, lamports]);
    await add(1);
    const { code, differences } = await verify(0);
    await add(-1);
    expect(code).toBe(1);
    expect(differences).toMatchObject([
      { kind: 'accounts', at: '.hash', answers: [{ by: 'index' }, { by: 'hashing' }] },
    ]);
  });

  it('finds a tree of which the journal has another next index', async () => {
    await change(
      0,
      `UPDATE state_trees SET next_index = next_index + 1 WHERE ctid = (SELECT min(ctid) FROM state_trees)`,
    );
    const { differences } = await verify(0, '--samples', '1', '--seed', '7');
    expect(differences).toMatchObject([
      { kind: 'trees', at: 'nextIndex-differs', answers: [{ by: 'index' }, { by: 'node' }] },
    ]);
  });

  it.each([
    [['--samples', '0'], '--samples requires a number from 1 to 100000'],
    [['--against', 'http://127.0.0.1:1'], 'the gateway at 127.0.0.1:1 has no indexed slot'],
  ])('rejects %j', async (args, message) => {
    const env = { ...ledger.env, DATABASE_URL: databases[0].url, LOG_LEVEL: 'error' };
    const { code, stderr } = await FresnelProcess.run(['verify', '--url', urls[0], ...args], env);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
