import { BUS, type Bus } from '@fresnel/adapters/bus';
import { type Chain } from '@fresnel/adapters/chain';
import { CHAIN } from '@fresnel/adapters/chain/nest';
import { type ProgramSet, TransactionParser } from '@fresnel/domain/events';
import { toSlot } from '@fresnel/domain/primitives';
import { BackgroundTask, BackgroundTasks, LOGGER, type Logger, Registry } from '@fresnel/platform';
import { ConfigurableModuleBuilder, Inject, Injectable, Module, type Type } from '@nestjs/common';
import { Backpressure, projectorsOf } from '../backpressure';
import { createIngestMetrics } from '../ingest.metrics';
import { type RangeIndex, RangePublisher, type SlotRange } from '../range.publisher';
import { SlotReader } from '../slot.reader';
import { TreeRegistry } from '../tree-registry';

export interface RangeModuleOptions {
  programs: ProgramSet;
  range: SlotRange;
  /** The records of one partition by which projectors may be behind. */
  INGEST_MAX_LAG: number;
}

/** Injection token of the `RangeIndex`. */
const RANGE_INDEX = Symbol('RangeIndex');

const LAG_INTERVAL_MS = 2_000;

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<RangeModuleOptions>()
  .setExtras<{ index: Type<RangeIndex> | null }>({ index: null }, (definition, { index }) => ({
    ...definition,
    providers: [...(definition.providers ?? []), ...(index ? [{ provide: RANGE_INDEX, useClass: index }] : [])],
  }))
  .build();

/** Publishes the range. */
@Injectable()
export class RangeTask extends BackgroundTask {
  constructor(
    tasks: BackgroundTasks,
    @Inject(CHAIN) chain: Chain,
    @Inject(BUS) bus: Bus,
    @Inject(MODULE_OPTIONS_TOKEN) options: RangeModuleOptions,
    @Inject(RANGE_INDEX) index: RangeIndex,
    @Inject(LOGGER) logger: Logger,
    registry: Registry,
  ) {
    super(tasks, (signal) => publishRange(chain, bus, options, index, logger, registry, signal));
  }
}

/**
 * Publishes a range of slots of `CHAIN` to `BUS`, from the application's bootstrap on. The task ends with the range. `index`
 * is the class that describes the index to which the range belongs.
 */
@Module({
  providers: [RangeTask],
  exports: [RangeTask],
})
export class RangeModule extends ConfigurableModuleClass {}

async function publishRange(
  { source, trees, treeSource }: Chain,
  bus: Bus,
  { programs, range, ...options }: RangeModuleOptions,
  index: RangeIndex,
  logger: Logger,
  registry: Registry,
  signal: AbortSignal,
): Promise<void> {
  const metrics = createIngestMetrics(registry);
  const known = new TreeRegistry(trees, treeSource);
  await known.load([], toSlot(0), signal);
  const reader = new SlotReader(known, new TransactionParser(programs), metrics);
  const limits = { maxLag: options.INGEST_MAX_LAG, intervalMs: LAG_INTERVAL_MS };
  const backpressure = new Backpressure([projectorsOf(bus)], limits, logger, metrics);
  const next = await new RangePublisher(source, bus, reader, backpressure, index, logger).publish(range, signal);
  if (next <= range.to) logger.warn({ from: next, to: range.to }, 'interrupted: publish the rest with these slots');
}
