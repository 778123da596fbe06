import { BUS, type Bus } from '@fresnel/adapters/bus';
import { WorkerPool } from '@fresnel/adapters/worker-pool';
import { PROVER_CLIENT } from '@fresnel/adapters/prover-client';
import { TREE_STORE, type TreeStore } from '@fresnel/adapters/tree-store';
import { BackgroundTask, BackgroundTasks, HealthChecks, LOGGER, type Logger, Registry } from '@fresnel/platform';
import { ConfigurableModuleBuilder, Inject, Injectable, Module, type OnModuleInit } from '@nestjs/common';
import { createProverMetrics } from '../prover.metrics';
import { type ProverOptions, ProverService } from '../prover.service';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<ProverOptions>().build();

/** Consumes tree updates. */
@Injectable()
export class ProverTask extends BackgroundTask {
  constructor(tasks: BackgroundTasks, prover: ProverService) {
    super(tasks, (signal) => prover.run(signal));
  }
}

/**
 * A prover of one process without replicas: applies the tree updates of `BUS` to `TREE_STORE`, and serves proofs from it as
 * `PROVER_CLIENT`.
 */
@Module({
  providers: [
    {
      provide: ProverService,
      inject: [BUS, TREE_STORE, WorkerPool, MODULE_OPTIONS_TOKEN, LOGGER, Registry],
      useFactory: (
        bus: Bus,
        store: TreeStore,
        { treeHasher }: WorkerPool,
        options: ProverOptions,
        logger: Logger,
        registry: Registry,
      ) => new ProverService(bus, store, treeHasher, options, logger, createProverMetrics(registry)),
    },
    { provide: PROVER_CLIENT, useExisting: ProverService },
    ProverTask,
  ],
  exports: [PROVER_CLIENT],
})
export class ProverModule extends ConfigurableModuleClass implements OnModuleInit {
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
