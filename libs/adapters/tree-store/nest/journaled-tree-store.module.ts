import { Database } from '@fresnel/adapters/store-schema';
import { type Hasher } from '@fresnel/domain/primitives';
import { LOGGER, type Logger } from '@fresnel/platform';
import { now } from '@fresnel/platform/time';
import { ConfigurableModuleBuilder, Module } from '@nestjs/common';
import { InMemoryTreeStore } from '../in-memory.tree-store';
import { PostgresTreeJournal } from '../postgres.tree-journal';
import { PostgresTreeReads } from '../postgres.tree-reads';
import { IN_PROCESS_LOG } from '../tree-journal';
import { TREE_STORE } from '../tree-store';

export interface JournaledTreeStoreOptions {
  hasher: Hasher;
}

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } =
  new ConfigurableModuleBuilder<JournaledTreeStoreOptions>().build();

/** Provides trees in memory with a journal in the `Database`, as `TREE_STORE`, and reads of the journal. The database must be open. */
@Module({
  providers: [
    {
      provide: TREE_STORE,
      inject: [MODULE_OPTIONS_TOKEN, Database, LOGGER],
      useFactory: ({ hasher }: JournaledTreeStoreOptions, database: Database, logger: Logger) =>
        openTrees(hasher, database, logger),
    },
    {
      provide: PostgresTreeReads,
      inject: [Database],
      useFactory: ({ dataSource }: Database) => new PostgresTreeReads(dataSource.manager),
    },
  ],
  exports: [TREE_STORE, PostgresTreeReads],
})
export class JournaledTreeStoreModule extends ConfigurableModuleClass {}

async function openTrees(hasher: Hasher, { dataSource }: Database, logger: Logger): Promise<InMemoryTreeStore> {
  const startedAt = now();
  const store = await InMemoryTreeStore.open(hasher, new PostgresTreeJournal(dataSource, IN_PROCESS_LOG));
  const { trees, leaves } = store.size;
  const milliseconds = Math.round(now() - startedAt);
  logger.info({ trees, leaves, milliseconds }, 'trees loaded');
  return store;
}
