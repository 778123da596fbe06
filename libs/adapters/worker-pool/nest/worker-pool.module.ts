import { TRANSACTION_JSON_ENCODER, type TransactionJsonEncoder } from '@fresnel/adapters/store-schema';
import { ConfigurableModuleBuilder, Module, type OnApplicationShutdown } from '@nestjs/common';
import { WorkerPool, type WorkerPoolOptions } from '../worker-pool';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<WorkerPoolOptions>().build();

/** Provides a `WorkerPool`, and its `TRANSACTION_JSON_ENCODER`. */
@Module({
  providers: [
    {
      provide: WorkerPool,
      inject: [MODULE_OPTIONS_TOKEN],
      useFactory: (options: WorkerPoolOptions) => new WorkerPool(options),
    },
    {
      provide: TRANSACTION_JSON_ENCODER,
      inject: [WorkerPool],
      useFactory: ({ encodeJson }: WorkerPool): TransactionJsonEncoder => encodeJson,
    },
  ],
  exports: [WorkerPool, TRANSACTION_JSON_ENCODER],
})
export class WorkerPoolModule extends ConfigurableModuleClass implements OnApplicationShutdown {
  constructor(private readonly pool: WorkerPool) {
    super();
  }

  onApplicationShutdown(): Promise<void> {
    return this.pool.close();
  }
}
