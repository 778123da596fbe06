import { BUS, type Bus } from '@fresnel/adapters/bus';
import { type Chain } from '@fresnel/adapters/chain';
import { CHAIN } from '@fresnel/adapters/chain/nest';
import { type ProgramSet } from '@fresnel/domain/events';
import { toSlot } from '@fresnel/domain/primitives';
import { BackgroundTask, BackgroundTasks, LOGGER, type Logger, Registry } from '@fresnel/platform';
import { ConfigurableModuleBuilder, Inject, Injectable, Module } from '@nestjs/common';
import { Backpressure, projectorsOf } from '../follow/backpressure';
import { createFollowMetrics } from '../follow/follow.metrics';
import { createSlotReader, SlotReader } from '../read/slot.reader';
import { PostgresRangeIndex } from '../repair/range-index';
import { RangePublisher, type SlotRange } from '../repair/range.publisher';

export interface RangeModuleOptions {
  programs: ProgramSet;
  range: SlotRange;
  /** The records of one partition by which projectors may be behind. */
  INGEST_MAX_LAG: number;
}

const LAG_INTERVAL_MS = 2_000;

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<RangeModuleOptions>().build();

/** What a range is read from and published to. */
@Injectable()
class RangeAdapters {
  constructor(
    @Inject(CHAIN) readonly chain: Chain,
    @Inject(BUS) readonly bus: Bus,
    readonly reader: SlotReader,
    readonly index: PostgresRangeIndex,
    @Inject(LOGGER) readonly logger: Logger,
    readonly registry: Registry,
  ) {}
}

/** Publishes the range. */
@Injectable()
export class RangeTask extends BackgroundTask {
  constructor(
    tasks: BackgroundTasks,
    @Inject(MODULE_OPTIONS_TOKEN) options: RangeModuleOptions,
    adapters: RangeAdapters,
  ) {
    super(tasks, (signal) => publishRange(options, adapters, signal));
  }
}

/** Publishes a range of slots of `CHAIN` to `BUS`, from the application's bootstrap on. The task ends with the range. */
@Module({
  providers: [
    { provide: SlotReader, inject: [CHAIN, MODULE_OPTIONS_TOKEN, Registry], useFactory: createSlotReader },
    PostgresRangeIndex,
    RangeAdapters,
    RangeTask,
  ],
  exports: [RangeTask],
})
export class RangeModule extends ConfigurableModuleClass {}

async function publishRange(
  { range, INGEST_MAX_LAG: maxLag }: RangeModuleOptions,
  { chain, bus, reader, index, logger, registry }: RangeAdapters,
  signal: AbortSignal,
): Promise<void> {
  await reader.trees.load([], toSlot(0), signal);
  const limits = { maxLag, intervalMs: LAG_INTERVAL_MS };
  const backpressure = new Backpressure([projectorsOf(bus)], limits, logger, createFollowMetrics(registry));
  const next = await new RangePublisher(chain.source, bus, reader, backpressure, index, logger).publish(range, signal);
  if (next <= range.to) logger.warn({ from: next, to: range.to }, 'interrupted: publish the rest with these slots');
}
