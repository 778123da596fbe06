import { BUS, type Bus } from '@fresnel/adapters/bus';
import { WorkerPool } from '@fresnel/adapters/worker-pool';
import { TREE_STORE, type TreeStore } from '@fresnel/adapters/tree-store';
import { BackgroundTask, BackgroundTasks, HealthChecks, LOGGER, type Logger, Registry } from '@fresnel/platform';
import { ConfigurableModuleBuilder, Inject, Injectable, Module, type OnModuleInit } from '@nestjs/common';
import { createTreeWriterMetrics } from '../prover.metrics';
import { TreeUpdatesConsumer } from '../tree-updates.consumer';

export interface TreeWriterOptions {
  /** Report trees with gaps as served. For recordings that start inside the history of a tree. */
  ACCEPT_TREE_GAPS: boolean;
}

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<TreeWriterOptions>().build();

/** Consumes tree updates. */
@Injectable()
export class TreeWriterTask extends BackgroundTask {
  constructor(tasks: BackgroundTasks, consumer: TreeUpdatesConsumer) {
    super(tasks, (signal) => consumer.run(signal));
  }
}

/** Applies the tree updates of `BUS` to `TREE_STORE`, from the application's bootstrap to its shutdown. */
@Module({
  providers: [
    {
      provide: TreeUpdatesConsumer,
      inject: [BUS, TREE_STORE, WorkerPool, MODULE_OPTIONS_TOKEN, LOGGER, Registry],
      useFactory: (
        bus: Bus,
        store: TreeStore,
        { treeHasher }: WorkerPool,
        { ACCEPT_TREE_GAPS }: TreeWriterOptions,
        logger: Logger,
        registry: Registry,
      ) => new TreeUpdatesConsumer(bus, store, treeHasher, ACCEPT_TREE_GAPS, logger, createTreeWriterMetrics(registry)),
    },
    TreeWriterTask,
  ],
})
export class TreeWriterModule extends ConfigurableModuleClass implements OnModuleInit {
  constructor(
    @Inject(TREE_STORE) private readonly store: TreeStore,
    private readonly checks: HealthChecks,
  ) {
    super();
  }

  onModuleInit(): void {
    this.checks.add(async () => {
      await this.store.findSlot();
      return [];
    });
  }
}
