import { InMemoryBus } from '@fresnel/adapters/bus';
import { type TreeStore } from '@fresnel/adapters/tree-store';
import { TREE_UPDATES, type TreeUpdatesMessage } from '@fresnel/contracts/messages';
import { type Hasher } from '@fresnel/domain/primitives';
import { createProverMetrics, ProverService } from '@fresnel/features/prover';
import { createLogger, type Logger, Registry } from '@fresnel/platform';
import { treeHasherOf } from '@fresnel/testing/address-trees';

export interface TestProverOptions {
  partitionCount?: number;
  /** First offset of each partition. */
  firstOffset?: bigint;
  logger?: Logger;
}

/** A prover on its own in-memory bus. */
export class TestProver {
  readonly service: ProverService;
  private readonly stop = new AbortController();
  private readonly bus: InMemoryBus;
  private readonly running: Promise<void>;

  constructor(
    readonly store: TreeStore,
    hasher: Hasher,
    { partitionCount = 1, firstOffset = 0n, logger = createLogger('silent') }: TestProverOptions = {},
  ) {
    this.bus = new InMemoryBus({
      partitionCount,
      firstOffset: () => firstOffset,
      retryPauseMs: 1,
      capacity: 100_000,
    });
    const options = { ACCEPT_TREE_GAPS: false, PROVER_MAX_WAIT_MS: 0, PROVER_MAX_WAIT_SLOTS: 100 };
    this.service = new ProverService(
      this.bus,
      store,
      treeHasherOf(hasher),
      options,
      logger,
      createProverMetrics(new Registry()),
    );
    this.running = this.service.run(this.stop.signal);
    this.running.catch(() => undefined);
  }

  /** Publishes messages, as one batch per partition, and waits until they are applied. */
  async apply(messages: readonly TreeUpdatesMessage[]): Promise<void> {
    await this.bus.publish(TREE_UPDATES, messages, this.stop.signal);
    await Promise.race([this.bus.waitUntilDrained(this.stop.signal), this.running]);
  }

  async end(): Promise<void> {
    this.stop.abort();
    await this.running;
  }
}
