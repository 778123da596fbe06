import { PROVER_CLIENT, type ProverClient } from '@fresnel/adapters/prover-client';
import { Reader } from '@fresnel/adapters/store-read';
import { type Logger, Registry } from '@fresnel/platform';
import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { DocsController } from './docs/docs.controller';
import { GATEWAY_OPTIONS, type GatewayOptions } from './gateway.options';
import { GATEWAY_LOGGER } from './gateway-logger';
import { HealthController } from './health/health.controller';
import { HttpExceptionFilter } from './http/http-exception.filter';
import { MemoryRateLimiter } from './limits/memory-rate-limiter';
import { RATE_LIMITER } from './limits/rate-limiter';
import { MetricsController } from './metrics.controller';
import { CallRunner } from './rpc/call-runner';
import { RpcController } from './rpc/rpc.controller';
import { RpcMetrics } from './rpc/rpc-metrics';
import { RpcService } from './rpc/rpc.service';

/** What a gateway is joined to. Whoever made these also closes them. */
export interface GatewayParts {
  reader: Reader;
  prover: ProverClient;
  logger: Logger;
  registry: Registry;
}

/** Answers JSON-RPC from the tables and the prover. Runs on `createHttpAdapter`, after `configureHttp`. */
@Module({})
export class GatewayModule {
  static register(options: GatewayOptions, { reader, prover, logger, registry }: GatewayParts): DynamicModule {
    const { rateLimit } = options;
    return {
      module: GatewayModule,
      controllers: [RpcController, HealthController, MetricsController, DocsController],
      providers: [
        { provide: GATEWAY_OPTIONS, useValue: options },
        { provide: Reader, useValue: reader },
        { provide: PROVER_CLIENT, useValue: prover },
        { provide: GATEWAY_LOGGER, useValue: logger },
        { provide: Registry, useValue: registry },
        { provide: RATE_LIMITER, useValue: rateLimit && new MemoryRateLimiter(rateLimit) },
        { provide: RpcMetrics, useFactory: () => new RpcMetrics(registry) },
        { provide: APP_FILTER, useClass: HttpExceptionFilter },
        CallRunner,
        RpcService,
      ],
    };
  }
}
