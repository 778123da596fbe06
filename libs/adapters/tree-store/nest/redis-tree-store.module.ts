import { type Hasher } from '@fresnel/domain/primitives';
import { LOGGER, type Logger } from '@fresnel/platform';
import {
  ConfigurableModuleBuilder,
  Global,
  Inject,
  Module,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { Redis } from 'ioredis';
import { type TreeKeyspace } from '../redis/keys';
import { createTreeRedis } from '../redis/redis-connection';
import { RedisTreeStore } from '../redis/redis.tree-store';
import { PROOF_STORE, TREE_STORE } from '../tree-store';

export interface RedisTreeStoreOptions {
  url: string;
  hasher: Hasher;
  keyspace: TreeKeyspace;
}

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } =
  new ConfigurableModuleBuilder<RedisTreeStoreOptions>().build();

/**
 * Provides trees in Redis as `TREE_STORE` and `PROOF_STORE`. The application starts while Redis is unreachable; the client reconnects.
 */
@Global()
@Module({
  providers: [
    {
      provide: Redis,
      inject: [MODULE_OPTIONS_TOKEN],
      useFactory: ({ url }: RedisTreeStoreOptions) => createTreeRedis({ url }),
    },
    {
      provide: TREE_STORE,
      inject: [MODULE_OPTIONS_TOKEN, Redis],
      useFactory: ({ hasher, keyspace }: RedisTreeStoreOptions, redis: Redis) =>
        new RedisTreeStore(redis, hasher, keyspace),
    },
    { provide: PROOF_STORE, useExisting: TREE_STORE },
  ],
  exports: [TREE_STORE, PROOF_STORE],
})
export class RedisTreeStoreModule extends ConfigurableModuleClass implements OnModuleInit, OnApplicationShutdown {
  constructor(
    private readonly redis: Redis,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super();
  }

  async onModuleInit(): Promise<void> {
    this.redis.on('error', ({ message: reason }) => {
      this.logger.warn({ reason }, 'Redis is unreachable');
    });
    await this.redis.connect().catch(() => undefined);
  }

  onApplicationShutdown(): void {
    this.redis.disconnect();
  }
}
