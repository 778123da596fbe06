import { TRANSACTION_JSON_ENCODER, type TransactionJsonEncoder } from '@fresnel/adapters/store-schema';
import { type TreeHasher } from '@fresnel/domain/primitives';
import { ConfigurableModuleBuilder, Global, Module, type OnApplicationShutdown } from '@nestjs/common';
import { WorkerPool, type WorkerPoolOptions, TREE_HASHER } from '../worker-pool';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<WorkerPoolOptions>().build();

/** Provides Poseidon as `TREE_HASHER` and a `TRANSACTION_JSON_ENCODER`, with batches in worker threads. */
@Global()
@Module({
  providers: [
    {
      provide: WorkerPool,
      inject: [MODULE_OPTIONS_TOKEN],
      useFactory: (options: WorkerPoolOptions) => new WorkerPool(options),
    },
    {
      provide: TREE_HASHER,
      inject: [WorkerPool],
      useFactory: ({ treeHasher }: WorkerPool): TreeHasher => treeHasher,
    },
    {
      provide: TRANSACTION_JSON_ENCODER,
      inject: [WorkerPool],
      useFactory: ({ encodeJson }: WorkerPool): TransactionJsonEncoder => encodeJson,
    },
  ],
  exports: [TREE_HASHER, TRANSACTION_JSON_ENCODER],
})
export class WorkerPoolModule extends ConfigurableModuleClass implements OnApplicationShutdown {
  constructor(private readonly pool: WorkerPool) {
    super();
  }

  onApplicationShutdown(): Promise<void> {
    return this.pool.close();
  }
}
