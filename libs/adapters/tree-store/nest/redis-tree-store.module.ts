import { Database } from '@fresnel/adapters/store-schema';
import { type Hasher, toBase58 } from '@fresnel/domain/primitives';
import { Counter, Histogram, LOGGER, type Logger, Registry, SECONDS_BUCKETS } from '@fresnel/platform';
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
import { type PrimaryReadReason, ReplicaProofStore } from '../redis/replica.proof-store';
import { type RedisTreeJournal } from '../redis/journaled.tree-commits';
import { type TreeLoad } from '../redis/redis.tree-loader';
import { PostgresTreeJournal } from '../postgres.tree-journal';
import { PROOF_STORE, type ProofStore, TREE_STORE } from '../tree-store';
import { createCommandMeter } from './redis.metrics';

export interface RedisTreeStoreOptions {
  url: string;
  /** A replica of the server at `url`, for proofs. Undefined: proofs are read from `url`. */
  readUrl?: string;
  hasher: Hasher;
  keyspace: TreeKeyspace;
}

/** Shorter than for the primary, which answers when the replica does not. */
const REPLICA_TIMEOUT_MS = 500;

/** Injection token of the connection to the replica; null if there is none. */
const REPLICA = Symbol('RedisReplica');
/** Injection token of the function that measures commands. */
const COMMAND_METER = Symbol('RedisCommandMeter');

type CommandMeter = ReturnType<typeof createCommandMeter>;

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } =
  new ConfigurableModuleBuilder<RedisTreeStoreOptions>().build();

/**
 * Provides trees in Redis as `TREE_STORE` and `PROOF_STORE`. Commits are journaled to the `Database` if the application has
 * one; every application that commits must have it. The application starts while Redis is unreachable; the clients
 * reconnect.
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
      provide: REPLICA,
      inject: [MODULE_OPTIONS_TOKEN],
      useFactory: ({ readUrl: url }: RedisTreeStoreOptions) =>
        url === undefined ? null : createTreeRedis({ url, commandTimeoutMs: REPLICA_TIMEOUT_MS }),
    },
    { provide: COMMAND_METER, inject: [Registry], useFactory: createCommandMeter },
    {
      provide: TREE_STORE,
      inject: [MODULE_OPTIONS_TOKEN, Redis, COMMAND_METER, LOGGER, Registry, { token: Database, optional: true }],
      useFactory: createTreeStore,
    },
    {
      provide: PROOF_STORE,
      inject: [MODULE_OPTIONS_TOKEN, TREE_STORE, REPLICA, COMMAND_METER, Registry],
      useFactory: createProofStore,
    },
  ],
  exports: [TREE_STORE, PROOF_STORE],
})
export class RedisTreeStoreModule extends ConfigurableModuleClass implements OnModuleInit, OnApplicationShutdown {
  constructor(
    private readonly redis: Redis,
    @Inject(REPLICA) private readonly replica: Redis | null,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super();
  }

  async onModuleInit(): Promise<void> {
    await Promise.all([
      this.connect(this.redis, 'Redis is unreachable'),
      this.replica && this.connect(this.replica, 'Redis replica is unreachable'),
    ]);
  }

  onApplicationShutdown(): void {
    this.redis.disconnect();
    this.replica?.disconnect();
  }

  private async connect(redis: Redis, warning: string): Promise<void> {
    redis.on('error', ({ message: reason }) => {
      this.logger.warn({ reason }, warning);
    });
    await redis.connect().catch(() => undefined);
  }
}

function createTreeStore(
  { hasher, keyspace }: RedisTreeStoreOptions,
  redis: Redis,
  measure: CommandMeter,
  logger: Logger,
  registry: Registry,
  database?: Database,
): RedisTreeStore {
  const journal = database ? createJournal(database, keyspace, logger, registry) : null;
  return new RedisTreeStore(measure('primary', redis), hasher, keyspace, journal);
}

function createProofStore(
  { hasher, keyspace }: RedisTreeStoreOptions,
  primary: RedisTreeStore,
  replica: Redis | null,
  measure: CommandMeter,
  registry: Registry,
): ProofStore {
  if (!replica) return primary;
  const primaryReads = new Counter({
    name: 'fresnel_prover_primary_reads_total',
    help: 'Proof requests answered by the Redis primary because the replica was behind or unavailable',
    labelNames: ['reason'],
    registers: [registry],
  });
  const onPrimaryRead = (reason: PrimaryReadReason) => {
    primaryReads.inc({ reason });
  };
  const store = new RedisTreeStore(measure('replica', replica), hasher, keyspace);
  return new ReplicaProofStore(primary, store, onPrimaryRead);
}

function createJournal(
  database: Database,
  { topicName }: TreeKeyspace,
  logger: Logger,
  registry: Registry,
): RedisTreeJournal {
  const journal = new PostgresTreeJournal(database.dataSource, topicName);
  const loads = new Counter({
    name: 'fresnel_prover_tree_loads_total',
    help: 'Trees compared with the journal by a claim: equal, or loaded by their last changes or as a whole',
    labelNames: ['kind'],
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'fresnel_prover_journal_seconds',
    help: 'Duration of the part of a commit that writes the journal',
    buckets: SECONDS_BUCKETS,
    registers: [registry],
  });
  return {
    open: () => database.open(),
    claimPosition: (partition) => journal.claimPosition(partition),
    persist: async (commit) => {
      const end = seconds.startTimer();
      await journal.persist(commit);
      end();
    },
    readPartition: (partition) => journal.readPartition(partition),
    trees: journal.trees,
    onTree: ({ tree, kind, leaves }: TreeLoad) => {
      loads.inc({ kind });
      if (kind !== 'equal') logger.info({ tree: toBase58(tree), kind, leaves }, 'tree loaded from the journal');
    },
  };
}
