import { BUS, type Bus } from '@fresnel/adapters/bus';
import { WorkerPool } from '@fresnel/adapters/worker-pool';
import { Database } from '@fresnel/adapters/store-schema';
import { ProjectionStore } from '@fresnel/adapters/store-write';
import { type Pubkey } from '@fresnel/domain/primitives';
import { BackgroundTask, BackgroundTasks, LOGGER, type Logger, Registry, retryUntilAvailable } from '@fresnel/platform';
import { ConfigurableModuleBuilder, Inject, Injectable, Module } from '@nestjs/common';
import { createProjectorMetrics } from '../projector.metrics';
import { ProjectorService } from '../projector.service';

export interface ProjectorModuleOptions {
  /** The compressed token program. */
  COMPRESSED_TOKEN_PROGRAM_ID: Pubkey;
}

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } =
  new ConfigurableModuleBuilder<ProjectorModuleOptions>().build();

/** Consumes slots. */
@Injectable()
export class ProjectorTask extends BackgroundTask {
  constructor(tasks: BackgroundTasks, database: Database, projector: ProjectorService, @Inject(LOGGER) logger: Logger) {
    super(tasks, async (signal) => {
      await retryUntilAvailable(() => database.open(), { signal, logger });
      if (!signal.aborted) await projector.run(signal);
    });
  }
}

/** Writes the slots of `BUS` to the `ProjectionStore`, from the application's bootstrap to its shutdown. */
@Module({
  providers: [
    {
      provide: ProjectorService,
      inject: [BUS, ProjectionStore, WorkerPool, MODULE_OPTIONS_TOKEN, LOGGER, Registry],
      useFactory: (
        bus: Bus,
        store: ProjectionStore,
        { treeHasher }: WorkerPool,
        { COMPRESSED_TOKEN_PROGRAM_ID: tokenProgram }: ProjectorModuleOptions,
        logger: Logger,
        registry: Registry,
      ) =>
        new ProjectorService(bus, store, treeHasher.hashBatch, tokenProgram, logger, createProjectorMetrics(registry)),
    },
    ProjectorTask,
  ],
})
export class ProjectorModule extends ConfigurableModuleClass {}
