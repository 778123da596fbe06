import { Watchdog } from '@fresnel/platform';
import { now } from '@fresnel/platform/time';

/** What the readiness and the liveness of a consumer depend on. */
export class ConsumerHealth {
  /** When the broker last answered as to a member of the group; null: the consumer is not a member. */
  private contactAt: number | null = null;
  private readonly watchdog = new Watchdog();

  /**
   * @param group the group's name in the cluster
   * @param sessionTimeoutMs a member without contact for this time has lost its partitions
   */
  constructor(
    private readonly group: string,
    private readonly sessionTimeoutMs: number,
  ) {}

  /** The broker answered: the consumer is a member of the group. */
  recordContact(): void {
    this.contactAt = now();
  }

  /** The consumer has left the group, or lost the broker. */
  recordLoss(): void {
    this.contactAt = null;
  }

  /** Runs an attempt of a consumer to claim a partition, or to apply a batch. */
  watch<Result>(attempt: 'claim' | 'batch', partition: number, run: () => Promise<Result>): Promise<Result> {
    return this.watchdog.watch(`A ${attempt} of ${this.group} in partition ${partition}`, run);
  }

  /** The reasons why nothing can be consumed, one sentence each. */
  findFaults(): string[] {
    const { group, contactAt } = this;
    if (contactAt === null) return [`Not a member of the consumer group ${group}`];
    const silentMs = now() - contactAt;
    return silentMs > this.sessionTimeoutMs ? [`No contact with Kafka for ${Math.round(silentMs / 1000)} s`] : [];
  }

  /** The claims and batches that hang, one sentence each. */
  findStuck(): string[] {
    return this.watchdog.findStuck();
  }
}
