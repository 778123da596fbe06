import { Database } from '@fresnel/adapters/store-schema';
import { type Hasher, toBase58 } from '@fresnel/domain/primitives';
import { Counter, Histogram, LOGGER, type Logger, Registry, SECONDS_BUCKETS, whenAborted } from '@fresnel/platform';
import { timeout } from '@fresnel/platform/time';
import {
  ConfigurableModuleBuilder,
  Inject,
  Injectable,
  Module,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { type Redis } from 'ioredis';
import { type TreeKeyspace } from '../redis/keys';
import { createTreeRedis } from '../redis/redis-connection';
import { RedisProofStore } from '../redis/redis.proof-store';
import { RedisTreeStore } from '../redis/redis.tree-store';
import { type PrimaryReadReason, ReplicaProofStore } from '../redis/replica.proof-store';
import { type TreeLoad } from '../redis/redis.tree-loader';
import { PostgresTreeJournal } from '../postgres.tree-journal';
import { type TreeJournal, toTreeLog } from '../tree-journal';
import { PROOF_STORE, type ProofStore, TREE_STORE, type TreeStore } from '../tree-store';
import { createCommandMeter } from './redis.metrics';

export interface RedisTreeStoreOptions {
  url: string;
  /** Time after which a command that the server does not answer is given up. */
  timeoutMs: number;
  /** A replica of the server at `url`, for proofs. Undefined: proofs are read from `url`. */
  readUrl?: string;
  hasher: Hasher;
  keyspace: TreeKeyspace;
}

/** Shorter than for the primary, which answers when the replica does not. */
const REPLICA_TIMEOUT_MS = 500;
/** How long a start waits for a Redis, which may load its data for minutes. */
const START_WAIT_MS = 1_000;

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } =
  new ConfigurableModuleBuilder<RedisTreeStoreOptions>().build();

/** The connections, and the function that measures their commands. */
@Injectable()
class Connections {
  readonly primary: Redis;
  /** Null if there is none. */
  readonly replica: Redis | null;
  readonly measure: ReturnType<typeof createCommandMeter>;

  constructor(@Inject(MODULE_OPTIONS_TOKEN) { url, timeoutMs, readUrl }: RedisTreeStoreOptions, registry: Registry) {
    this.primary = createTreeRedis({ url, commandTimeoutMs: timeoutMs });
    this.replica =
      readUrl === undefined ? null : createTreeRedis({ url: readUrl, commandTimeoutMs: REPLICA_TIMEOUT_MS });
    this.measure = createCommandMeter(registry);
  }
}

/**
 * Provides trees in Redis as `PROOF_STORE` and, if the application has a `Database` with their journal, as `TREE_STORE`. The
 * application starts while Redis is unreachable or loads its data; the clients reconnect.
 */
@Module({
  providers: [
    Connections,
    {
      provide: TREE_STORE,
      inject: [MODULE_OPTIONS_TOKEN, Connections, LOGGER, Registry, { token: Database, optional: true }],
      useFactory: createTreeStore,
    },
    {
      provide: PROOF_STORE,
      inject: [MODULE_OPTIONS_TOKEN, Connections, Registry],
      useFactory: createProofStore,
    },
  ],
  exports: [TREE_STORE, PROOF_STORE],
})
export class RedisTreeStoreModule extends ConfigurableModuleClass implements OnModuleInit, OnApplicationShutdown {
  constructor(
    private readonly connections: Connections,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super();
  }

  async onModuleInit(): Promise<void> {
    const { primary, replica } = this.connections;
    await Promise.all([
      this.connect(primary, 'Redis is unreachable'),
      replica && this.connect(replica, 'Redis replica is unreachable'),
    ]);
  }

  onApplicationShutdown(): void {
    this.connections.primary.disconnect();
    this.connections.replica?.disconnect();
  }

  private async connect(redis: Redis, warning: string): Promise<void> {
    redis.on('error', ({ message: reason }) => {
      this.logger.warn({ reason }, warning);
    });
    await Promise.race([redis.connect(), whenAborted(timeout(START_WAIT_MS))]).catch(() => undefined);
  }
}

/** Null without a database: the application only reads proofs. */
function createTreeStore(
  { hasher, keyspace }: RedisTreeStoreOptions,
  { primary, measure }: Connections,
  logger: Logger,
  registry: Registry,
  database?: Database,
): TreeStore | null {
  if (!database) return null;
  const loads = new Counter({
    name: 'fresnel_prover_tree_loads_total',
    help: 'Trees compared with the journal: equal, deleted, or loaded by their last changes or as a whole',
    labelNames: ['kind'],
    registers: [registry],
  });
  const onLoad = ({ tree, kind, leaves }: TreeLoad) => {
    loads.inc({ kind });
    if (kind !== 'equal') logger.info({ tree: toBase58(tree), kind, leaves }, 'tree loaded from the journal');
  };
  const journal = createJournal(database, keyspace, registry);
  return new RedisTreeStore(measure('primary', primary), hasher, keyspace, journal, onLoad);
}

function createProofStore(
  { hasher, keyspace }: RedisTreeStoreOptions,
  { primary: redis, replica, measure }: Connections,
  registry: Registry,
): ProofStore {
  const primary = new RedisProofStore(measure('primary', redis), hasher, keyspace);
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
  const store = new RedisProofStore(measure('replica', replica), hasher, keyspace, primary.marks);
  return new ReplicaProofStore(primary, store, onPrimaryRead);
}

function createJournal(database: Database, { topicName }: TreeKeyspace, registry: Registry): TreeJournal {
  const journal = new PostgresTreeJournal(database.dataSource, toTreeLog(topicName));
  const seconds = new Histogram({
    name: 'fresnel_prover_journal_seconds',
    help: 'Duration of the part of a commit that writes the journal',
    buckets: SECONDS_BUCKETS,
    registers: [registry],
  });
  return {
    open: async () => {
      await database.open();
      await journal.open();
    },
    persist: async (entry) => {
      const end = seconds.startTimer();
      await journal.persist(entry);
      end();
    },
    readPartition: (...args) => journal.readPartition(...args),
    readTree: (...args) => journal.readTree(...args),
  };
}
