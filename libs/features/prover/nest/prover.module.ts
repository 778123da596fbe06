import { BUS, type Bus } from '@fresnel/adapters/bus';
import { TREE_HASHER } from '@fresnel/adapters/hash-pool';
import { PROVER_CLIENT } from '@fresnel/adapters/prover-client';
import { TREE_STORE, type TreeStore } from '@fresnel/adapters/tree-store';
import { type TreeHasher } from '@fresnel/domain/primitives';
import { BackgroundTasks, HealthChecks, LOGGER, type Logger, Registry } from '@fresnel/platform';
import { ConfigurableModuleBuilder, Global, Inject, Module, type OnModuleInit } from '@nestjs/common';
import { createProverMetrics } from '../prover.metrics';
import { type ProverOptions, ProverService } from '../prover.service';

/** Injection token of the `BackgroundTask` that consumes tree updates. */
export const PROVER_TASK = Symbol('ProverTask');

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<ProverOptions>().build();

/**
 * Applies the tree updates of `BUS` to `TREE_STORE`, from the application's bootstrap to its shutdown. Global, because the
 * gRPC server and the gateway inject the prover as `PROVER_CLIENT`.
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
