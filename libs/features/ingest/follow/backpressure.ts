import { type Bus } from '@fresnel/adapters/bus';
import { PROJECTOR_GROUP, PROVER_GROUP, SLOT_EVENTS, TREE_UPDATES } from '@fresnel/contracts/messages';
import { type Logger } from '@fresnel/platform';
import { now, sleep } from '@fresnel/platform/time';
import { type FollowMetrics } from './follow.metrics';

/** A group of consumers that ingest waits for. */
export interface ConsumerGroup {
  group: string;
  findLag: (signal: AbortSignal) => Promise<number>;
}

export interface BackpressureOptions {
  /** The records of one partition by which a group may be behind; null: any number. */
  maxLag: number | null;
  /** Interval at which the lag is read. */
  intervalMs: number;
}

/** Pause between two log lines while ingest waits. */
const LOG_INTERVAL_MS = 10_000;

/**
 * Holds ingest back while consumers are too far behind. Otherwise records could expire before they are applied.
 *
 * The lag is read at an interval. So ingest may publish more than the maximum, by what it publishes in one interval.
 */
export class Backpressure {
  private checkedAt = -Infinity;
  private waiting = false;
  /** The last lag of each group. */
  private readonly lag: Record<string, number> = {};

  constructor(
    private readonly groups: readonly ConsumerGroup[],
    private readonly options: BackpressureOptions,
    private readonly logger: Logger,
    private readonly metrics: FollowMetrics,
  ) {}

  /** Whether ingest waits for consumers now. */
  get isWaiting(): boolean {
    return this.waiting;
  }

  /** Resolves when no group is too far behind. @throws the signal's reason when it aborts first */
  async wait(signal: AbortSignal): Promise<void> {
    const { maxLag, intervalMs } = this.options;
    if (maxLag === null || now() - this.checkedAt < intervalMs) return;
    try {
      for (let loggedAt = -Infinity; await this.isTooFar(maxLag, signal);) {
        this.setWaiting(true);
        if (now() - loggedAt >= LOG_INTERVAL_MS) {
          loggedAt = now();
          this.logger.warn({ lag: this.lag, maxLag }, 'ingest waits for consumers that are too far behind');
        }
        await sleep(intervalMs, signal);
      }
      if (this.waiting) this.logger.info({ lag: this.lag, maxLag }, 'ingest continues');
    } finally {
      this.setWaiting(false);
    }
    this.checkedAt = now();
  }

  private async isTooFar(maxLag: number, signal: AbortSignal): Promise<boolean> {
    for (const { group, findLag } of this.groups) {
      const lag = await findLag(signal);
      this.lag[group] = lag;
      this.metrics.consumerLag.set({ group }, lag);
    }
    return Object.values(this.lag).some((lag) => lag > maxLag);
  }

  private setWaiting(waiting: boolean): void {
    this.waiting = waiting;
    this.metrics.waitsForConsumers.set(waiting ? 1 : 0);
  }
}

/** The projectors, which consume `slot-events`. */
export function projectorsOf(bus: Bus): ConsumerGroup {
  return {
    group: PROJECTOR_GROUP,
    findLag: (signal) => bus.findLag(SLOT_EVENTS, PROJECTOR_GROUP, signal),
  };
}

/** The provers, which consume `tree-updates`. */
export function proversOf(bus: Bus): ConsumerGroup {
  return {
    group: PROVER_GROUP,
    findLag: (signal) => bus.findLag(TREE_UPDATES, PROVER_GROUP, signal),
  };
}
