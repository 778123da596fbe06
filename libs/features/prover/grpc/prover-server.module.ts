import { type ProverClient } from '@fresnel/adapters/prover-client';
import { type Logger, type Registry } from '@fresnel/platform';
import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { ProverCallFilter } from './prover-call.filter';
import { createProverServerMetrics } from './prover-server.metrics';
import { PROVER_SERVER_METRICS, ProverController, SERVED_PROVER } from './prover.controller';

/** What the server needs from outside. */
export interface ProverServerParts {
  prover: ProverClient;
  logger: Logger;
  registry: Registry;
}

@Module({})
export class ProverServerModule {
  static register({ prover, logger, registry }: ProverServerParts): DynamicModule {
    return {
      module: ProverServerModule,
      controllers: [ProverController],
      providers: [
        { provide: SERVED_PROVER, useValue: prover },
        { provide: PROVER_SERVER_METRICS, useValue: createProverServerMetrics(registry) },
        { provide: APP_FILTER, useValue: new ProverCallFilter(logger) },
      ],
    };
  }
}
