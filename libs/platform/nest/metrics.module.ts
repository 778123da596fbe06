import { Global, Module } from '@nestjs/common';
import { createRegistry, Registry } from '../metrics';

/** Provides the metrics `Registry` of the process. */
@Global()
@Module({ providers: [{ provide: Registry, useFactory: createRegistry }], exports: [Registry] })
export class MetricsModule {}
