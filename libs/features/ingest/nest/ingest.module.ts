import { BUS, type Bus } from '@fresnel/adapters/bus';
import { type Chain } from '@fresnel/adapters/chain';
import { CHAIN } from '@fresnel/adapters/chain/nest';
import { type ProgramSet, TransactionParser } from '@fresnel/domain/events';
import { Database } from '@fresnel/adapters/store-schema';
import { DeadLetterStore } from '@fresnel/adapters/store-write';
import { PostgresTreeReads, TreeRepublications } from '@fresnel/adapters/tree-store';
import { type Pubkey } from '@fresnel/domain/primitives';
import { BackgroundTask, BackgroundTasks, HealthChecks, LOGGER, type Logger, Registry } from '@fresnel/platform';
import { wallClock } from '@fresnel/platform/time';
import { ConfigurableModuleBuilder, Inject, Injectable, Module, type OnModuleInit, type Type } from '@nestjs/common';
import { DeadLetterReader } from '../dead-letter.reader';
import { DeadLetterRetrier } from '../dead-letter.retrier';
import { createIngestMetrics } from '../ingest.metrics';
import { IngestService } from '../ingest.service';
import { Progress } from '../progress';
import { RESUME_POINT, type ResumePoint } from '../resume-point';
import { SlotReader } from '../slot.reader';
import { STORED_BLOCKS, type StoredBlocks } from '../stored-blocks';
import { TreeOperationsRepublisher } from '../tree-operations.republisher';
import { TreeRegistry } from '../tree-registry';

export interface IngestModuleOptions {
  programs: ProgramSet;
  /** Trees that are announced before the first block, even if no transaction names them. */
  preloadedTrees: readonly Pubkey[];
  /** The records of one partition by which consumers may be behind; null: any number. */
  INGEST_MAX_LAG: number | null;
  /** Pause before a dead letter is retried again. */
  INGEST_DEAD_LETTER_RETRY_MS: number;
  /** Where the progress of a catch-up is shown; null for log lines. */
  terminal: NodeJS.WriteStream | null;
}

interface IngestModuleClasses {
  resumePoint: Type<ResumePoint> | null;
  /** Null if no other ingest publishes to the same consumers. */
  storedBlocks: Type<StoredBlocks> | null;
}

const TIP_INTERVAL_MS = 5_000;
const FORK_RETRY_DELAY_MS = 200;
/** Trees keep what the revert of the last 64 blocks needs, so orphaned blocks have to be found soon. */
const REPAIR_INTERVAL_MS = 4_000;
const LAG_INTERVAL_MS = 2_000;
/** Interval at which due dead letters are looked for, unless the retry pause is shorter. */
const MAX_RETRY_INTERVAL_MS = 5_000;
/** Interval at which requests to publish the operations of trees again are looked for. */
const REPUBLISH_INTERVAL_MS = 1_000;
const MAX_RETRY_PAUSE_MS = 3_600_000;
const PROGRESS_INTERVAL_TERMINAL_MS = 200;
const PROGRESS_INTERVAL_LOG_MS = 10_000;
/** The health check fails if the chain tip was last seen longer ago than this. */
const TIP_STALE_MS = 60_000;

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<IngestModuleOptions>()
  .setExtras<IngestModuleClasses>({ resumePoint: null, storedBlocks: null }, (definition, classes) => ({
    ...definition,
    providers: [
      ...(definition.providers ?? []),
      ...(classes.resumePoint ? [{ provide: RESUME_POINT, useClass: classes.resumePoint }] : []),
      classes.storedBlocks
        ? { provide: STORED_BLOCKS, useClass: classes.storedBlocks }
        : { provide: STORED_BLOCKS, useValue: null },
    ],
  }))
  .build();

/** What ingest reads from and publishes to. */
@Injectable()
class IngestAdapters {
  constructor(
    @Inject(CHAIN) readonly chain: Chain,
    @Inject(BUS) readonly bus: Bus,
    @Inject(RESUME_POINT) readonly resumePoint: ResumePoint,
    @Inject(STORED_BLOCKS) readonly stored: StoredBlocks | null,
    readonly letters: DeadLetterStore,
    readonly database: Database,
    @Inject(LOGGER) readonly logger: Logger,
    readonly registry: Registry,
  ) {}
}

/** Publishes blocks. */
@Injectable()
export class IngestTask extends BackgroundTask {
  constructor(tasks: BackgroundTasks, ingest: IngestService) {
    super(tasks, (signal, watchdog) => ingest.run(signal, watchdog));
  }
}

/**
 * Publishes the blocks of `CHAIN` to `BUS`, from the application's bootstrap to its shutdown. `resumePoint` is the class that
 * finds the last published block, `storedBlocks` the class that reads what consumers have stored.
 */
@Module({
  providers: [
    IngestAdapters,
    { provide: IngestService, inject: [MODULE_OPTIONS_TOKEN, IngestAdapters], useFactory: createIngest },
    IngestTask,
  ],
  exports: [IngestTask],
})
export class IngestModule extends ConfigurableModuleClass implements OnModuleInit {
  constructor(
    @Inject(CHAIN) private readonly chain: Chain,
    private readonly ingest: IngestService,
    private readonly checks: HealthChecks,
  ) {
    super();
  }

  onModuleInit(): void {
    this.checks.add(() => Promise.resolve(this.findFaults()));
  }

  /** No tip is read while ingest waits for consumers. */
  private findFaults(): string[] {
    if (this.ingest.isWaitingForConsumers) return [];
    const seenAt = this.chain.source.tip?.seenAt.getTime() ?? 0;
    return wallClock() - seenAt > TIP_STALE_MS ? [`No chain tip was seen in the last ${TIP_STALE_MS / 1000} s`] : [];
  }
}

function createIngest(options: IngestModuleOptions, adapters: IngestAdapters): IngestService {
  const { chain, bus, resumePoint, stored, letters, database, logger, registry } = adapters;
  const { source } = chain;
  const { programs, preloadedTrees, terminal, INGEST_MAX_LAG: maxLag, INGEST_DEAD_LETTER_RETRY_MS: retryMs } = options;
  const metrics = createIngestMetrics(registry);
  const trees = new TreeRegistry(chain.trees, chain.treeSource);
  const parser = new TransactionParser(programs);
  const intervalMs = terminal ? PROGRESS_INTERVAL_TERMINAL_MS : PROGRESS_INTERVAL_LOG_MS;
  const republications = new TreeRepublications(database.dataSource.manager);
  const letterReader = new DeadLetterReader(trees, parser, programs.compressedToken);
  const slotReader = new SlotReader(trees, parser, metrics, 0);
  const retrier = new DeadLetterRetrier(
    { letters, source, bus, letterReader, slotReader, republications, logger, metrics },
    {
      intervalMs: Math.min(retryMs, MAX_RETRY_INTERVAL_MS),
      firstPauseMs: retryMs,
      maxPauseMs: Math.max(retryMs, MAX_RETRY_PAUSE_MS),
    },
  );
  const republisher = new TreeOperationsRepublisher(
    republications,
    {
      trees: new PostgresTreeReads(database.dataSource.manager),
      source,
      bus,
      reader: new SlotReader(trees, parser, metrics),
    },
    { intervalMs: REPUBLISH_INTERVAL_MS },
    logger,
  );
  const progress = new Progress({ terminal, intervalMs }, logger);
  return new IngestService(
    { source, bus, resumePoint, trees, parser, progress, logger, metrics, stored, retrier, republisher },
    {
      preloadedTrees,
      tipIntervalMs: TIP_INTERVAL_MS,
      backpressure: { maxLag, intervalMs: LAG_INTERVAL_MS },
      repairIntervalMs: REPAIR_INTERVAL_MS,
      forkRetryDelayMs: FORK_RETRY_DELAY_MS,
    },
  );
}
