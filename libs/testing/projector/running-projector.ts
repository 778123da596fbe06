import { InMemoryBus } from '@fresnel/adapters/bus';
import { ProjectionStore } from '@fresnel/adapters/store-write';
import { SLOT_EVENTS, type SlotEventsMessage } from '@fresnel/contracts/messages';
import { LIVE_PROGRAMS } from '@fresnel/domain/events';
import { poseidonInline } from '@fresnel/testing/address-trees';
import { createProjectorMetrics, PROJECTOR_GROUP, ProjectorService } from '@fresnel/features/projector';
import { createLogger, type Logger, Registry } from '@fresnel/platform';
import { type DataSource } from 'typeorm';

/** A projector on an in-memory bus that starts at the stored positions. */
export class RunningProjector {
  private readonly stop = new AbortController();
  private readonly bus: InMemoryBus;
  private readonly running: Promise<void>;
  readonly registry = new Registry();

  private constructor(
    readonly store: ProjectionStore,
    readonly logger: Logger,
    positions: (bigint | null)[],
  ) {
    const firstOffset = (_: string, partition: number) => positions[partition] ?? 0n;
    this.bus = new InMemoryBus({ partitionCount: positions.length, capacity: 1_000, firstOffset, retryPauseMs: 1 });
    const metrics = createProjectorMetrics(this.registry);
    const { compressedToken } = LIVE_PROGRAMS;
    const service = new ProjectorService(this.bus, store, poseidonInline.hashBatch, compressedToken, logger, metrics);
    this.running = service.run(this.stop.signal);
    this.running.catch(() => undefined);
  }

  static async start(
    dataSource: DataSource,
    { partitionCount = 1, logger = createLogger('silent') } = {},
  ): Promise<RunningProjector> {
    const store = new ProjectionStore(dataSource);
    const partitions = Array.from({ length: partitionCount }, (_, partition) => partition);
    return new RunningProjector(
      store,
      logger,
      await Promise.all(
        partitions.map((partition) =>
          store.findPosition({ consumerGroup: PROJECTOR_GROUP, topic: SLOT_EVENTS.name, partition }),
        ),
      ),
    );
  }

  publish(messages: readonly SlotEventsMessage[]): Promise<void> {
    return this.bus.publish(SLOT_EVENTS, messages, this.stop.signal);
  }

  /** Settles when all messages are persisted. */
  async drain(): Promise<void> {
    await Promise.race([this.bus.waitUntilDrained(this.stop.signal), this.running]);
  }

  /** Stops the projector after the batch in progress. */
  async end(): Promise<void> {
    this.stop.abort();
    await this.running;
  }

  /** The value of a metric, with the given labels. */
  async read(metric: string, labels: Record<string, string> = {}): Promise<number | undefined> {
    const { values } = (await this.registry.getSingleMetric(metric)?.get()) ?? { values: [] };
    const hasLabels = (value: { labels: Partial<Record<string, string | number>> }) =>
      Object.entries(labels).every(([name, text]) => value.labels[name] === text);
    return values.find(hasLabels)?.value;
  }
}
