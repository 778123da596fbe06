import { ConfigurableModuleBuilder, Module } from '@nestjs/common';
import { MemoryRateLimiter } from '../memory-rate-limiter';
import { RATE_LIMITER, type RateLimit } from '../rate-limiter';

export interface MemoryRateLimitOptions {
  /** Null: no limit. */
  limit: RateLimit | null;
}

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } =
  new ConfigurableModuleBuilder<MemoryRateLimitOptions>().build();

/** Provides an in-memory rate limiter as `RATE_LIMITER`; null without a limit. */
@Module({
  providers: [
    {
      provide: RATE_LIMITER,
      inject: [MODULE_OPTIONS_TOKEN],
      useFactory: ({ limit }: MemoryRateLimitOptions) => limit && new MemoryRateLimiter(limit),
    },
  ],
  exports: [RATE_LIMITER],
})
export class MemoryRateLimitModule extends ConfigurableModuleClass {}
