import { joinGenerations } from '@fresnel/adapters/bus';
import { Database, startLogGeneration } from '@fresnel/adapters/store-schema';
import { TREE_UPDATES } from '@fresnel/contracts/messages';
import { createLogger } from '@fresnel/platform';
import { until } from '@fresnel/testing/generic';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';
import { LogWatcher, OutdatedIngestError } from './log.watcher';

const KAFKA = { brokers: [], clientId: 'tests', prefix: 'watched.' };

describe('LogWatcher', () => {
  let created: TestDatabase;
  let database: Database;
  let stop: AbortController;
  beforeAll(async () => {
    created = await createTestDatabase();
    database = new Database(created.dataSource, created.url);
  });
  afterAll(() => created.drop());
  beforeEach(() => {
    stop = new AbortController();
  });

  /** Starts the watch of an ingest that has resumed. */
  async function watch(): Promise<{ watching: Promise<void> }> {
    const findGeneration = joinGenerations(() => database.findLogGenerations());
    await findGeneration('any log');
    const watching = new LogWatcher({ ...KAFKA, findGeneration }, database, createLogger('silent')).run(stop.signal);
    watching.catch(() => undefined);
    return { watching };
  }

  it('looks at the logs from which the ingest has resumed until it is stopped', async () => {
    const reads = jest.spyOn(database, 'findLogGenerations');
    const { watching } = await watch();
    await until(() => reads.mock.calls.length > 2, [watching]);
    stop.abort();
    await watching;
  });

  it('fails once positions are reset', async () => {
    const { watching } = await watch();
    await startLogGeneration(created.dataSource.manager, `${KAFKA.prefix}${TREE_UPDATES.name}`);
    await expect(watching).rejects.toThrow(OutdatedIngestError);
    await expect(watching).rejects.toThrow(
      'this ingest publishes for generation 1 of watched.tree-updates, but positions were reset',
    );
  });
});
