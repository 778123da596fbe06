import { BUS, type Bus } from '@fresnel/adapters/bus';
import { KAFKA_CONNECTION, type KafkaConnection } from '@fresnel/adapters/bus/nest';
import { type Chain, readAccount, type TreeSource } from '@fresnel/adapters/chain';
import { CHAIN } from '@fresnel/adapters/chain/nest';
import { Database } from '@fresnel/adapters/store-schema';
import { DeadLetterStore, HistoryStore, ProjectionStore } from '@fresnel/adapters/store-write';
import { PostgresTreeReads, TreeRepublications } from '@fresnel/adapters/tree-store';
import { type ProgramSet } from '@fresnel/domain/events';
import { BackgroundTask, BackgroundTasks, LOGGER, type Logger, Registry, whenAborted } from '@fresnel/platform';
import { ConfigurableModuleBuilder, Inject, Injectable, Module, Optional } from '@nestjs/common';
import { FollowService } from '../follow/follow.service';
import { HistoryCheck } from '../history/history-check';
import { HistoryHealer } from '../history/history-healer';
import { createHistoryMetrics } from '../history/history.metrics';
import { type HistoryRecheck, HistoryService } from '../history/history.service';
import { SlotReader } from '../read/slot.reader';
import { createDeadLetterMetrics } from '../repair/dead-letter.metrics';
import { DeadLetterParser } from '../repair/dead-letter.parser';
import { DeadLetterRetrier } from '../repair/dead-letter.retrier';
import { IndexRepairer } from '../repair/index.repairer';
import { LogWatcher } from '../repair/log.watcher';
import { type Repair, RepairService } from '../repair/repair.service';
import { PostgresStoredBlocks } from '../repair/stored-blocks';
import { TreeOperationsRepublisher } from '../repair/tree-operations.republisher';

export interface RepairModuleOptions {
  programs: ProgramSet;
  /** Pause before a dead letter is retried again. */
  INGEST_DEAD_LETTER_RETRY_MS: number;
  /** Default: never. */
  historyRecheck?: HistoryRecheck;
}

/** Trees keep what the revert of the last 64 blocks needs, so orphaned blocks have to be found soon. */
const REPAIR_INTERVAL_MS = 4_000;
/** Interval at which due dead letters are looked for, unless the retry pause is shorter. */
const MAX_RETRY_INTERVAL_MS = 5_000;
/** Interval at which requests to publish the operations of trees again are looked for. */
const REPUBLISH_INTERVAL_MS = 1_000;
const MAX_RETRY_PAUSE_MS = 3_600_000;
/** How long a command repeats a comparison that fails. A service repeats it as long as it runs. */
const COMMAND_PATIENCE_MS = 60_000;

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<RepairModuleOptions>().build();

/** What the repairs read from and publish to. */
@Injectable()
class RepairAdapters {
  readonly trees: PostgresTreeReads;
  readonly republications: TreeRepublications;
  readonly republisher: TreeOperationsRepublisher;

  constructor(
    @Inject(CHAIN) readonly chain: Chain,
    @Inject(BUS) readonly bus: Bus,
    readonly follow: FollowService,
    readonly reader: SlotReader,
    readonly store: ProjectionStore,
    readonly letters: DeadLetterStore,
    readonly database: Database,
    /** Null: the bus is in this process, and no other ingest publishes to it. */
    @Optional() @Inject(KAFKA_CONNECTION) readonly kafka: KafkaConnection | null,
    @Inject(LOGGER) readonly logger: Logger,
    readonly registry: Registry,
  ) {
    const { manager } = database.dataSource;
    this.trees = new PostgresTreeReads(manager);
    this.republications = new TreeRepublications(manager);
    const parts = { trees: this.trees, source: chain.source, bus, reader };
    const options = { intervalMs: REPUBLISH_INTERVAL_MS };
    this.republisher = new TreeOperationsRepublisher(this.republications, parts, options, logger);
  }
}

/** Repairs. */
@Injectable()
export class RepairTask extends BackgroundTask {
  constructor(
    tasks: BackgroundTasks,
    @Inject(MODULE_OPTIONS_TOKEN) options: RepairModuleOptions,
    adapters: RepairAdapters,
  ) {
    const republication = { name: 'The republication of trees', loop: adapters.republisher };
    const repairs = [createRetrier(options, adapters), republication, ...repairsOfKafka(adapters)];
    const service = new RepairService(adapters.follow, repairs);
    super(tasks, (signal, watchdog) => service.run(signal, watchdog));
  }
}

/** Compares the history of a new index with the chain, once the index has passed the anchor. It ends then. */
@Injectable()
export class HistoryTask extends BackgroundTask {
  constructor(
    tasks: BackgroundTasks,
    @Inject(MODULE_OPTIONS_TOKEN) options: RepairModuleOptions,
    adapters: RepairAdapters,
  ) {
    const service = createHistory(options, adapters);
    super(tasks, async (signal) => {
      // The resume point opens the database.
      await Promise.race([adapters.follow.resumed, whenAborted(signal)]);
      await service?.run(signal);
    });
  }
}

/**
 * Repairs what consumers lack, or should not have, beside the `FollowModule` of the same process, which `imports` names: dead
 * letters, operations of trees, and the blocks of the index.
 */
@Module({ providers: [RepairAdapters, RepairTask, HistoryTask], exports: [HistoryTask] })
export class RepairModule extends ConfigurableModuleClass {}

function createRetrier(
  { programs, INGEST_DEAD_LETTER_RETRY_MS: retryMs }: RepairModuleOptions,
  { chain, bus, reader, letters, republications, logger, registry }: RepairAdapters,
): Repair {
  const letterParser = new DeadLetterParser(reader, programs.compressedToken);
  const metrics = createDeadLetterMetrics(registry);
  const loop = new DeadLetterRetrier(
    { letters, source: chain.source, bus, letterParser, slotReader: reader, republications, logger, metrics },
    {
      intervalMs: Math.min(retryMs, MAX_RETRY_INTERVAL_MS),
      firstPauseMs: retryMs,
      maxPauseMs: Math.max(retryMs, MAX_RETRY_PAUSE_MS),
    },
  );
  return { name: 'The retry of dead letters', loop };
}

/** @returns null if all blocks come from the node */
function createHistory({ historyRecheck }: RepairModuleOptions, adapters: RepairAdapters): HistoryService | null {
  const { chain, bus, reader, store, trees, republications, republisher, database, logger, registry } = adapters;
  const { history: sources, rpc, source } = chain;
  if (!sources || !rpc) return null;
  const treeSource = chain.treeSource ?? configuredOnly(chain);
  const history = new HistoryStore(database.dataSource);
  const check = new HistoryCheck({
    ...{ treeSource, configured: chain.trees, trees, tables: store, history, logger },
    readAccount: (account, minContextSlot, signal) =>
      readAccount(rpc, account, { minContextSlot, retryForMs: Infinity }, signal),
  });
  const others = sources.slice(1);
  const { parser } = reader;
  const parts = { others, source, parser, reader, bus, history, republications, republisher, logger };
  const healer = new HistoryHealer(parts);
  return new HistoryService(
    {
      history,
      tables: store,
      bus,
      check,
      healer: others.length > 0 ? healer : null,
      trees: () => reader.trees.all(),
      logger,
      metrics: createHistoryMetrics(registry, sources),
    },
    {
      recheck: historyRecheck ?? 'never',
      patienceMs: historyRecheck === 'always' ? COMMAND_PATIENCE_MS : Infinity,
    },
  );
}

/** Without an owner of trees, those of the configuration are compared. */
function configuredOnly({ trees }: Chain): TreeSource {
  const all = [...trees];
  return {
    listTrees: () => Promise.resolve(all),
    findTrees: ({ minContextSlot: slot }) => Promise.resolve({ trees: [], unread: [], slot }),
  };
}

/** What can only differ if several ingests publish. */
function repairsOfKafka(adapters: RepairAdapters): Repair[] {
  const { chain, bus, follow, reader, store, trees, database, kafka, logger } = adapters;
  if (!kafka) return [];
  const stored = new PostgresStoredBlocks(store, trees);
  const parts = { stored, source: chain.source, bus, reader, follow };
  return [
    { name: 'The repair of the index', loop: new IndexRepairer(parts, REPAIR_INTERVAL_MS, logger) },
    { name: 'The watch of the logs', loop: new LogWatcher(kafka, database, logger) },
  ];
}
