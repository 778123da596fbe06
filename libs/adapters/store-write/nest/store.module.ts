import { Database, TRANSACTION_JSON_ENCODER, type TransactionJsonEncoder } from '@fresnel/adapters/store-schema';
import { Counter, LOGGER, type Logger, Registry } from '@fresnel/platform';
import { Module } from '@nestjs/common';
import { DeadLetterStore } from '../dead-letter.store';
import { ProjectionStore } from '../projection-store';
import { type OnConflict } from '../retry-conflicts';

/** Provides the `ProjectionStore` and the `DeadLetterStore` of the `Database`. */
@Module({
  providers: [
    {
      provide: ProjectionStore,
      inject: [Database, Registry, LOGGER, { token: TRANSACTION_JSON_ENCODER, optional: true }],
      useFactory: (
        { dataSource }: Database,
        registry: Registry,
        logger: Logger,
        encodeJson: TransactionJsonEncoder | undefined,
      ) => new ProjectionStore(dataSource, reportConflicts(registry, logger), encodeJson),
    },
    {
      provide: DeadLetterStore,
      inject: [Database],
      useFactory: ({ dataSource }: Database) => new DeadLetterStore(dataSource),
    },
  ],
  exports: [ProjectionStore, DeadLetterStore],
})
export class StoreModule {}

/** SQLSTATEs of a serialization failure and of a deadlock. */
const USUAL_CONFLICTS = ['40001', '40P01'];

function reportConflicts(registry: Registry, logger: Logger): OnConflict {
  const conflicts = new Counter({
    name: 'fresnel_store_conflicts_total',
    help: 'Transactions that were retried after a conflict with another one',
    labelNames: ['state'],
    registers: [registry],
  });
  for (const state of USUAL_CONFLICTS) conflicts.inc({ state }, 0);
  return (state, attempt) => {
    conflicts.inc({ state });
    logger.warn({ state, attempt }, 'transaction conflicts with another one, retrying');
  };
}
