import { LOGGER, type Logger, Registry } from '@fresnel/platform';
import { ConfigurableModuleBuilder, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { RATE_LIMITER, type RateLimit } from '../rate-limiter';
import { RedisRateLimiter, type RedisRateLimiterOptions } from '../redis-rate-limiter';

export interface RedisRateLimitOptions extends Omit<RedisRateLimiterOptions, 'limit'> {
  /** Null: no limit, and no connection to Redis. */
  limit: RateLimit | null;
}

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } =
  new ConfigurableModuleBuilder<RedisRateLimitOptions>().build();

/** Provides a rate limiter in Redis, which gateways share, as `RATE_LIMITER`; null without a limit. */
@Module({
  providers: [
    {
      provide: RATE_LIMITER,
      inject: [MODULE_OPTIONS_TOKEN, LOGGER, Registry],
      useFactory: ({ limit, ...options }: RedisRateLimitOptions, logger: Logger, registry: Registry) =>
        limit && RedisRateLimiter.open({ ...options, limit }, { logger, registry }),
    },
  ],
  exports: [RATE_LIMITER],
})
export class RedisRateLimitModule extends ConfigurableModuleClass implements OnApplicationShutdown {
  constructor(@Inject(RATE_LIMITER) private readonly limiter: RedisRateLimiter | null) {
    super();
  }

  onApplicationShutdown(): void {
    this.limiter?.close();
  }
}
