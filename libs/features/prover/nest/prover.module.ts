import { BUS, type Bus } from '@fresnel/adapters/bus';
import { TREE_HASHER } from '@fresnel/adapters/worker-pool';
import { PROVER_CLIENT } from '@fresnel/adapters/prover-client';
import { TREE_STORE, type TreeStore } from '@fresnel/adapters/tree-store';
import { type TreeHasher } from '@fresnel/domain/primitives';
import { BackgroundTasks, HealthChecks, LOGGER, type Logger, Registry } from '@fresnel/platform';
import { ConfigurableModuleBuilder, Global, Inject, Module, type OnModuleInit } from '@nestjs/common';
import { createProverMetrics } from '../prover.metrics';
import { type ProverOptions, ProverService } from '../prover.service';
import { PROVER_TASK } from './prover-task';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<ProverOptions>().build();

/**
 * A prover of one process without replicas: applies the tree updates of `BUS` to `TREE_STORE`, and serves proofs from it.
 * Global, because the gateway injects the prover as `PROVER_CLIENT`.
 */
@Global()
@Module({
  providers: [
    {
      provide: ProverService,
      inject: [BUS, TREE_STORE, TREE_HASHER, MODULE_OPTIONS_TOKEN, LOGGER, Registry],
      useFactory: (
        bus: Bus,
        store: TreeStore,
        hasher: TreeHasher,
        options: ProverOptions,
        logger: Logger,
        registry: Registry,
      ) => new ProverService(bus, store, hasher, options, logger, createProverMetrics(registry)),
    },
    { provide: PROVER_CLIENT, useExisting: ProverService },
    {
      provide: PROVER_TASK,
      inject: [BackgroundTasks, ProverService],
      useFactory: (tasks: BackgroundTasks, prover: ProverService) => tasks.create((signal) => prover.run(signal)),
    },
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
