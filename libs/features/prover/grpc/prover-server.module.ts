import { PROVER_CLIENT, type ProverClient } from '@fresnel/adapters/prover-client';
import { LOGGER, type Logger, Registry } from '@fresnel/platform';
import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { ProverCallFilter } from './prover-call.filter';
import { ProverController } from './prover.controller';

/** What the server needs, where no module provides it. */
export interface ProverServerParts {
  prover: ProverClient;
  logger: Logger;
  registry: Registry;
}

/** Serves `PROVER_CLIENT` over gRPC. Runs in a microservice on `ProverGrpcServer`. */
@Module({
  controllers: [ProverController],
  providers: [{ provide: APP_FILTER, useClass: ProverCallFilter }],
})
export class ProverServerModule {
  /** A server of the given prover, in an application without the modules that provide these parts. */
  static register({ prover, logger, registry }: ProverServerParts): DynamicModule {
    return {
      module: ProverServerModule,
      providers: [
        { provide: PROVER_CLIENT, useValue: prover },
        { provide: LOGGER, useValue: logger },
        { provide: Registry, useValue: registry },
      ],
    };
  }
}
