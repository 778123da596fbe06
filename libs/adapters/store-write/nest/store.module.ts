import { Database } from '@fresnel/adapters/store-schema';
import { Global, Module } from '@nestjs/common';
import { ProjectionStore } from '../projection-store';

/** Provides the `ProjectionStore` of the `Database`. */
@Global()
@Module({
  providers: [
    {
      provide: ProjectionStore,
      inject: [Database],
      useFactory: ({ dataSource }: Database) => new ProjectionStore(dataSource),
    },
  ],
  exports: [ProjectionStore],
})
export class StoreModule {}
