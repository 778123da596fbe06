import { type TreeHasher } from '@fresnel/domain/primitives';
import { ConfigurableModuleBuilder, Global, Module, type OnApplicationShutdown } from '@nestjs/common';
import { HashPool, type HashPoolOptions, TREE_HASHER } from '../hash-pool';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<HashPoolOptions>().build();

/** Provides Poseidon as `TREE_HASHER`, with batches in worker threads. */
@Global()
@Module({
  providers: [
    {
      provide: HashPool,
      inject: [MODULE_OPTIONS_TOKEN],
      useFactory: (options: HashPoolOptions) => new HashPool(options),
    },
    {
      provide: TREE_HASHER,
      inject: [HashPool],
      useFactory: ({ treeHasher }: HashPool): TreeHasher => treeHasher,
    },
  ],
  exports: [TREE_HASHER],
})
export class HashPoolModule extends ConfigurableModuleClass implements OnApplicationShutdown {
  constructor(private readonly pool: HashPool) {
    super();
  }

  onApplicationShutdown(): Promise<void> {
    return this.pool.close();
  }
}
