/** A batch that takes longer than this hangs: its statements have timeouts, and every retry is an attempt of its own. */
const STUCK_MS = 300_000;

/** What the readiness and the liveness of a consumer depend on. */
export class ConsumerHealth {
  /** When the broker last answered as to a member of the group; null: the consumer is not a member. */
  private contactAt: number | null = null;
  /** When the batches in progress were started, by partition. */
  private readonly started = new Map<number, number>();

  /**
   * @param group the group's name in the cluster
   * @param sessionTimeoutMs a member without contact for this time has lost its partitions
   */
  constructor(
    private readonly group: string,
    private readonly sessionTimeoutMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** The broker answered: the consumer is a member of the group. */
  recordContact(): void {
    this.contactAt = this.now();
  }

  /** The consumer has left the group, or lost the broker. */
  recordLoss(): void {
    this.contactAt = null;
  }

  /** Runs the handler of a batch. */
  async watch(partition: number, handle: () => Promise<void>): Promise<void> {
    this.started.set(partition, this.now());
    try {
      await handle();
    } finally {
      this.started.delete(partition);
    }
  }

  /** The reasons why nothing can be consumed, one sentence each. */
  findFaults(): string[] {
    const { group, contactAt } = this;
    if (contactAt === null) return [`Not a member of the consumer group ${group}`];
    const silentMs = this.now() - contactAt;
    return silentMs > this.sessionTimeoutMs ? [`No contact with Kafka for ${Math.round(silentMs / 1000)} s`] : [];
  }

  /** The batches that hang, one sentence each. */
  findStuck(): string[] {
    return [...this.started]
      .map(([partition, at]) => ({ partition, seconds: Math.round((this.now() - at) / 1000) }))
      .filter(({ seconds }) => seconds * 1000 > STUCK_MS)
      .map(
        ({ partition, seconds }) =>
          `A batch of ${this.group} in partition ${partition} is in progress for ${seconds} s`,
      );
  }
}
