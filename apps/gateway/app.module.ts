import { NodeRpcModule } from '@fresnel/adapters/chain/nest';
import { GrpcProverClientModule } from '@fresnel/adapters/prover-client/nest';
import { RedisRateLimitModule } from '@fresnel/adapters/rate-limit/nest';
import { StoreReadModule } from '@fresnel/adapters/store-read/nest';
import { HttpValidityProverModule } from '@fresnel/adapters/validity-prover/nest';
import { toProverTls, toValidityProverOptions } from '@fresnel/config';
import { toGatewayOptions, toNodeOptions, toNodeSocketsOptions, toRateLimit } from '@fresnel/features/gateway';
import { GatewayModule } from '@fresnel/features/gateway/nest';
import { CONFIG } from '@fresnel/platform';
import { HealthServerModule, PlatformModule } from '@fresnel/platform/nest';
import { Module } from '@nestjs/common';
import { APP_CONFIG, type AppConfig } from './app.config';

const TABLES = StoreReadModule.registerAsync({
  inject: [CONFIG],
  useFactory: (config: AppConfig) => ({
    url: config.DATABASE_READ_URL ?? config.DATABASE_URL,
    connections: config.GATEWAY_READ_CONNECTIONS,
    timeoutMs: config.GATEWAY_REQUEST_TIMEOUT_MS,
    applicationName: 'fresnel-gateway',
  }),
});
const PROVER = GrpcProverClientModule.registerAsync({
  inject: [CONFIG],
  useFactory: (config: AppConfig) => ({
    address: config.PROVER_URL,
    tls: toProverTls(config),
    deadlineMs: config.GATEWAY_REQUEST_TIMEOUT_MS,
  }),
});
const VALIDITY_PROVER = HttpValidityProverModule.registerAsync({
  inject: [CONFIG],
  useFactory: (config: AppConfig) => ({
    prover: toValidityProverOptions(config, config.GATEWAY_REQUEST_TIMEOUT_MS),
  }),
});
const NODE = NodeRpcModule.registerAsync({
  inject: [CONFIG],
  useFactory: (config: AppConfig) => ({ node: toNodeOptions(config), sockets: toNodeSocketsOptions(config) }),
});
const RATE_LIMIT = RedisRateLimitModule.registerAsync({
  inject: [CONFIG],
  useFactory: (config: AppConfig) => ({
    url: config.REDIS_URL,
    limit: toRateLimit(config),
    keyPrefix: config.REDIS_KEY_PREFIX,
  }),
});

/** The gateway with its database, provers and rate limiter. */
@Module({
  imports: [
    PlatformModule.register(APP_CONFIG),
    HealthServerModule,
    GatewayModule.registerAsync({
      imports: [TABLES, PROVER, VALIDITY_PROVER, NODE, RATE_LIMIT],
      inject: [CONFIG],
      useFactory: toGatewayOptions,
    }),
  ],
})
export class AppModule {}
