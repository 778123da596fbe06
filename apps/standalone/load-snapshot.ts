import { InMemoryBus } from '@fresnel/adapters/bus';
import { type SnapshotManifest } from '@fresnel/adapters/chain/history';
import { Database } from '@fresnel/adapters/store-schema';
import { PostgresTreeReads } from '@fresnel/adapters/tree-store';
import { FollowTask } from '@fresnel/features/ingest/nest';
import { compareLoadedTrees } from '@fresnel/features/operations';
import { BackgroundTasks, type Logger, nestOptions, startContext, whenAborted } from '@fresnel/platform';
import { type AppConfig } from './app.config';
import { AppModule } from './app.module';
import { startDatabaseServer } from './database-server';
import { selectChain } from './select-chain';

/**
 * Indexes a snapshot up to its last block, and compares the trees with its manifest. An index that is beyond is left as it is.
 *
 * @throws SnapshotError if the trees differ; the signal's reason
 */
export async function loadSnapshot(
  manifest: SnapshotManifest,
  config: AppConfig,
  logger: Logger,
  shutdown: AbortSignal,
): Promise<void> {
  const { open } = selectChain(config, logger, true);
  const server = startDatabaseServer(config, logger);
  const root = AppModule.register({ openChain: open, server, shutdown });
  const app = await startContext(root, nestOptions(logger));
  try {
    const index = async () => {
      await app.get(FollowTask, { strict: false }).ended;
      await app.get(InMemoryBus, { strict: false }).waitUntilDrained(shutdown);
    };
    await Promise.race([index(), app.get(BackgroundTasks).whenEnded(), whenAborted(shutdown)]);
    shutdown.throwIfAborted();
    const { manager } = app.get(Database, { strict: false }).dataSource;
    compareLoadedTrees(manifest, await new PostgresTreeReads(manager).listHeads());
    logger.info({ trees: manifest.trees.length }, 'the snapshot is loaded: its trees are those of its manifest');
  } finally {
    await app.close();
  }
}
