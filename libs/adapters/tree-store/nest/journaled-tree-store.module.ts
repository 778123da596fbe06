import { Database } from '@fresnel/adapters/store-schema';
import { type Hasher } from '@fresnel/domain/primitives';
import { LOGGER, type Logger } from '@fresnel/platform';
import { ConfigurableModuleBuilder, Global, Module } from '@nestjs/common';
import { InMemoryTreeStore } from '../in-memory.tree-store';
import { PostgresTreeJournal } from '../postgres.tree-journal';
import { TREE_STORE } from '../tree-store';

export interface JournaledTreeStoreOptions {
  hasher: Hasher;
}

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } =
  new ConfigurableModuleBuilder<JournaledTreeStoreOptions>().build();

/** Provides trees in memory with a journal in the `Database`, as `TREE_STORE`. The database must be open. */
@Global()
@Module({
  providers: [
    {
      provide: TREE_STORE,
      inject: [MODULE_OPTIONS_TOKEN, Database, LOGGER],
      useFactory: ({ hasher }: JournaledTreeStoreOptions, database: Database, logger: Logger) =>
        openTrees(hasher, database, logger),
    },
  ],
  exports: [TREE_STORE],
})
export class JournaledTreeStoreModule extends ConfigurableModuleClass {}

async function openTrees(hasher: Hasher, { dataSource }: Database, logger: Logger): Promise<InMemoryTreeStore> {
  const startedAt = performance.now();
  const store = await InMemoryTreeStore.open(hasher, new PostgresTreeJournal(dataSource));
  const trees = await store.listHeads();
  const addresses = trees.reduce((sum, { nextIndex }) => sum + nextIndex, 0);
  const milliseconds = Math.round(performance.now() - startedAt);
  logger.info({ trees: trees.length, addresses, milliseconds }, 'trees loaded');
  return store;
}
