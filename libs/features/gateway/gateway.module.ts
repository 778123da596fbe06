import { PROVER_CLIENT, type ProverClient } from '@fresnel/adapters/prover-client';
import { MemoryRateLimiter, RATE_LIMITER, type RateLimiter } from '@fresnel/adapters/rate-limit';
import { Reader } from '@fresnel/adapters/store-read';
import { type Logger, Registry } from '@fresnel/platform';
import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { DocsController } from './docs/docs.controller';
import { GATEWAY_OPTIONS, type GatewayOptions } from './gateway.options';
import { GATEWAY_LOGGER } from './gateway-logger';
import { HealthController } from './health/health.controller';
import { HttpExceptionFilter } from './http/http-exception.filter';
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
  /** Counts points by its own limit, in place of the option `rateLimit` and this process's memory. */
  limiter?: RateLimiter;
}

/** Answers JSON-RPC from the tables and the prover. Runs on `createHttpAdapter`, after `configureHttp`. */
@Module({})
export class GatewayModule {
  static register(options: GatewayOptions, { reader, prover, logger, registry, limiter }: GatewayParts): DynamicModule {
    return {
      module: GatewayModule,
      controllers: [RpcController, HealthController, MetricsController, DocsController],
      providers: [
        { provide: GATEWAY_OPTIONS, useValue: options },
        { provide: Reader, useValue: reader },
        { provide: PROVER_CLIENT, useValue: prover },
        { provide: GATEWAY_LOGGER, useValue: logger },
        { provide: Registry, useValue: registry },
        { provide: RATE_LIMITER, useValue: limiter ?? memoryLimiterOf(options) },
        { provide: RpcMetrics, useFactory: () => new RpcMetrics(registry) },
        { provide: APP_FILTER, useClass: HttpExceptionFilter },
        CallRunner,
        RpcService,
      ],
    };
  }
}

/** Null where nothing is limited. */
function memoryLimiterOf({ rateLimit }: GatewayOptions): RateLimiter | null {
  return rateLimit && new MemoryRateLimiter(rateLimit);
}
