import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { migrate } from '@fresnel/adapters/store-schema';
import { messageOf } from '@fresnel/domain/primitives';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';
import { type Breach, reportBreaches } from './breach';
import { restoreRows } from './index-dump';
import { receiveTransactions } from './received-pushes';
import { findBrokenReads } from './recorded-reads';
import { listReleases, RELEASES } from './released-files';
import { callMethods, serveIndex, type ServedIndex } from './served-index';
import { listStoredIndexes, readStoredIndex, SCHEMA_FILE } from './stored-index';

const folderOf = (release: string) => join(RELEASES, release, 'index');
const INDEXES = listReleases().flatMap((release) =>
  listStoredIndexes(folderOf(release)).map((name) => [release, name] as const),
);

/** Whether a value has what another has. Members of results are compared with the documents of the release. */
function contains(value: unknown, stored: unknown): boolean {
  try {
    expect({ value }).toMatchObject({ value: stored });
    return true;
  } catch {
    return false;
  }
}

describe.each(INDEXES)('the index of release %s: %s', (release, name) => {
  const { dump, answers, reads, pushes } = readStoredIndex(folderOf(release), name);
  let database: TestDatabase;
  let served: ServedIndex | undefined;
  beforeAll(async () => {
    database = await createTestDatabase({ migrated: false });
    await database.dataSource.query(readFileSync(join(folderOf(release), SCHEMA_FILE), 'utf8'));
    await restoreRows(database.dataSource, dump);
  });
  afterAll(async () => {
    await served?.close();
    await database.drop();
  });

  const report = (file: string, breaches: readonly Breach[]) =>
    reportBreaches(`releases/${release}/index/${name}.${file}.json.gz`, breaches, false);
  const expectReadable = async () => {
    expect(report('reads', await findBrokenReads(database.url, reads))).toBe('');
  };

  it('is read by the statements of that release before, while and after it is upgraded', async () => {
    expect(reads).not.toEqual([]);
    await expectReadable();
    let isUpgraded = false;
    const upgrade = migrate(database.dataSource).finally(() => (isUpgraded = true));
    upgrade.catch(() => undefined);
    while (!isUpgraded) await expectReadable();
    await upgrade;
    await expectReadable();
  });

  it('gives the same answers after the upgrade', async () => {
    served = await serveIndex(database.url);
    const found = await callMethods(served.url, answers);
    const breaches = answers.flatMap(({ method, params, answer }, at) => {
      if (contains(found[at], answer)) return [];
      const problem = `is ${JSON.stringify(found[at])} and was ${JSON.stringify(answer)}`;
      return [{ of: `answer of ${method} ${JSON.stringify(params)}`, problem }];
    });
    expect(answers).not.toEqual([]);
    expect(report('answers', breaches)).toBe('');
  });

  it('goes on with a subscription at a cursor of that release', async () => {
    const { from, indexedSlot, transactions } = pushes;
    expect(transactions).not.toEqual([]);
    const received = await receiveTransactions(served?.url ?? '', from, indexedSlot).catch(messageOf);
    const problem = typeof received === 'string' ? received : 'there are other transactions';
    const breaches = contains(received, transactions) ? [] : [{ of: `a subscription from ${from}`, problem }];
    expect(report('pushes', breaches)).toBe('');
  });
});
