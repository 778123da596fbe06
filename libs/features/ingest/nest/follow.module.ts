import { BUS, type Bus } from '@fresnel/adapters/bus';
import { type Chain } from '@fresnel/adapters/chain';
import { CHAIN } from '@fresnel/adapters/chain/nest';
import { type ProgramSet } from '@fresnel/domain/events';
import { type Pubkey, type Slot } from '@fresnel/domain/primitives';
import { BackgroundTask, BackgroundTasks, HealthChecks, LOGGER, type Logger, Registry } from '@fresnel/platform';
import { wallClock } from '@fresnel/platform/time';
import { ConfigurableModuleBuilder, Inject, Injectable, Module, type OnModuleInit, type Type } from '@nestjs/common';
import { createFollowMetrics } from '../follow/follow.metrics';
import { FollowService } from '../follow/follow.service';
import { Progress } from '../follow/progress';
import { RESUME_POINT, type ResumePoint } from '../follow/resume-point';
import { createSlotReader, SlotReader } from '../read/slot.reader';

export interface FollowModuleOptions {
  programs: ProgramSet;
  /** Trees that are announced before the first block, even if no transaction names them. */
  preloadedTrees: readonly Pubkey[];
  /** The records of one partition by which consumers may be behind; null: any number. */
  INGEST_MAX_LAG: number | null;
  /** Nothing is published after the first block at or above this slot. */
  INGEST_PAUSE_SLOT?: Slot;
  /** Where the progress of a catch-up is shown; null for log lines. */
  terminal: NodeJS.WriteStream | null;
}

const TIP_INTERVAL_MS = 5_000;
const FORK_BACKOFF = { firstMs: 200, longestMs: 3_200 };
const LAG_INTERVAL_MS = 2_000;
const PROGRESS_INTERVAL_TERMINAL_MS = 200;
const PROGRESS_INTERVAL_LOG_MS = 10_000;
/** The health check fails if the chain tip was last seen longer ago than this. */
const TIP_STALE_MS = 60_000;

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<FollowModuleOptions>()
  .setExtras<{ resumePoint: Type<ResumePoint> | null }>({ resumePoint: null }, (definition, { resumePoint }) => ({
    ...definition,
    providers: [
      ...(definition.providers ?? []),
      ...(resumePoint ? [{ provide: RESUME_POINT, useClass: resumePoint }] : []),
    ],
  }))
  .build();

/** What ingest reads from and publishes to. */
@Injectable()
class FollowAdapters {
  constructor(
    @Inject(CHAIN) readonly chain: Chain,
    @Inject(BUS) readonly bus: Bus,
    @Inject(RESUME_POINT) readonly resumePoint: ResumePoint,
    readonly reader: SlotReader,
    @Inject(LOGGER) readonly logger: Logger,
    readonly registry: Registry,
  ) {}
}

/** Publishes blocks. */
@Injectable()
export class FollowTask extends BackgroundTask {
  constructor(tasks: BackgroundTasks, follow: FollowService) {
    super(tasks, (signal, watchdog) => follow.run(signal, watchdog));
  }
}

/**
 * Publishes the blocks of `CHAIN` to `BUS`, from the application's bootstrap to its shutdown. `resumePoint` is the class that
 * finds the last published block.
 */
@Module({
  providers: [
    { provide: SlotReader, inject: [CHAIN, MODULE_OPTIONS_TOKEN, Registry], useFactory: createSlotReader },
    FollowAdapters,
    { provide: FollowService, inject: [MODULE_OPTIONS_TOKEN, FollowAdapters], useFactory: createFollow },
    FollowTask,
  ],
  exports: [FollowService, SlotReader],
})
export class FollowModule extends ConfigurableModuleClass implements OnModuleInit {
  constructor(
    @Inject(CHAIN) private readonly chain: Chain,
    private readonly follow: FollowService,
    private readonly checks: HealthChecks,
  ) {
    super();
  }

  onModuleInit(): void {
    this.checks.add(() => Promise.resolve(this.findFaults()));
  }

  /** No block tells the tip while ingest waits. */
  private findFaults(): string[] {
    if (this.follow.isHeld) return [];
    const seenAt = this.chain.source.tip?.seenAt.getTime() ?? 0;
    return wallClock() - seenAt > TIP_STALE_MS ? [`No chain tip was seen in the last ${TIP_STALE_MS / 1000} s`] : [];
  }
}

function createFollow(options: FollowModuleOptions, adapters: FollowAdapters): FollowService {
  const { chain, bus, resumePoint, reader, logger, registry } = adapters;
  const { preloadedTrees, terminal, INGEST_MAX_LAG: maxLag, INGEST_PAUSE_SLOT: pauseSlot = null } = options;
  const intervalMs = terminal ? PROGRESS_INTERVAL_TERMINAL_MS : PROGRESS_INTERVAL_LOG_MS;
  const progress = new Progress({ terminal, intervalMs }, logger);
  const metrics = createFollowMetrics(registry);
  return new FollowService(
    { source: chain.source, bus, resumePoint, reader, progress, logger, metrics },
    {
      preloadedTrees,
      tipIntervalMs: TIP_INTERVAL_MS,
      backpressure: { maxLag, intervalMs: LAG_INTERVAL_MS },
      pauseSlot,
      forkBackoff: FORK_BACKOFF,
    },
  );
}
