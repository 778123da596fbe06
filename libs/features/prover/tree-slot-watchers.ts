import { ProverUnavailableError, TreeBehindError } from '@fresnel/adapters/prover-client';
import { keyOf, messageOf, type Pubkey, type Slot } from '@fresnel/domain/primitives';
import { after, now } from '@fresnel/platform/time';
import { type ProverConfig } from './prover.config';

const POLL_INTERVAL_MS = 10;

export type SlotWaitOptions = Pick<ProverConfig, 'PROVER_MAX_WAIT_MS' | 'PROVER_MAX_WAIT_SLOTS'>;

/** Callers can name any tree, so the number of trees that are remembered is bounded. */
const MAX_TREES_FAR_BEHIND = 1_000;

/** Reads the slot of a tree. */
type ReadTreeSlot = (tree: Pubkey) => Promise<Slot | null>;

/** Requests that wait for the slot of a tree. All requests of a tree share one watcher, which polls only while they wait. */
export class TreeSlotWatchers {
  /** By tree; only trees with waiting requests. */
  private readonly watchers = new Map<string, TreeSlotWatcher>();
  /** Since when trees are known to be far behind; the oldest entry first. */
  private readonly farBehindSince = new Map<string, number>();

  constructor(
    private readonly readSlot: ReadTreeSlot,
    private readonly options: SlotWaitOptions,
  ) {}

  /** The number of waiting requests. */
  get waiting(): number {
    return [...this.watchers.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /**
   * Resolves once the tree has the slot.
   *
   * @throws TreeBehindError after the maximum time, or at once if the tree has been far behind for this time
   * @throws ProverUnavailableError if the signal is aborted
   * @throws the error of reading the slot
   */
  waitForSlot(tree: Pubkey, minSlot: Slot, signal?: AbortSignal): Promise<void> {
    const key = keyOf(tree);
    let watcher = this.watchers.get(key);
    if (!watcher) {
      const isStuck = (isFarBehind: boolean) => this.isStuck(key, isFarBehind);
      watcher = new TreeSlotWatcher(() => this.readSlot(tree), this.options, isStuck);
      this.watchers.set(key, watcher);
      void watcher.poll(() => this.watchers.delete(key));
    }
    return watcher.wait(minSlot, signal);
  }

  /**
   * Whether a tree has been far behind for the maximum time. Where blocks are many slots apart, a tree is far behind for a moment
   * whenever the tables have a block first.
   */
  private isStuck(key: string, isFarBehind: boolean): boolean {
    if (!isFarBehind) {
      this.farBehindSince.delete(key);
      return false;
    }
    const at = now();
    const since = this.farBehindSince.get(key) ?? at;
    this.farBehindSince.set(key, since);
    const [oldest] = this.farBehindSince.keys();
    if (this.farBehindSince.size > MAX_TREES_FAR_BEHIND) this.farBehindSince.delete(oldest);
    return at - since >= this.options.PROVER_MAX_WAIT_MS;
  }
}

interface Waiter {
  minSlot: Slot;
  startedAt: number;
  resolve: () => void;
  reject: (error: Error) => void;
}

/**
 * Polls the slot of one tree until no request waits.
 *
 * Every request is answered from a poll that starts after it. Requests that arrive during a poll share the next one, so
 * that there is at most one poll at a time.
 */
class TreeSlotWatcher {
  private readonly waiters = new Set<Waiter>();
  /** Ends the pause between two polls. */
  private wake: () => void = () => undefined;

  constructor(
    private readonly readSlot: () => Promise<Slot | null>,
    private readonly options: SlotWaitOptions,
    private readonly isStuck: (isFarBehind: boolean) => boolean,
  ) {}

  get size(): number {
    return this.waiters.size;
  }

  wait(minSlot: Slot, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        waiter.reject(new ProverUnavailableError('the request was aborted'));
        this.wake();
      };
      const end = () => {
        signal?.removeEventListener('abort', onAbort);
        this.waiters.delete(waiter);
      };
      const waiter: Waiter = {
        minSlot,
        startedAt: now(),
        resolve: () => {
          end();
          resolve();
        },
        reject: (error) => {
          end();
          reject(error);
        },
      };
      this.waiters.add(waiter);
      signal?.addEventListener('abort', onAbort);
      if (signal?.aborted) onAbort();
      else this.wake();
    });
  }

  /** Polls until no request waits. @param onIdle called in the same turn, so that no request is added to an ended loop */
  async poll(onIdle: () => void): Promise<void> {
    // Requests of the same turn share the first poll.
    await Promise.resolve();
    while (this.waiters.size > 0) {
      const asked = new Set(this.waiters);
      await this.answer(asked);
      const hasArrivals = [...this.waiters].some((waiter) => !asked.has(waiter));
      if (this.waiters.size > 0 && !hasArrivals) await this.pause();
    }
    onIdle();
  }

  private async answer(asked: ReadonlySet<Waiter>): Promise<void> {
    try {
      const slot = await this.readSlot();
      for (const waiter of asked) this.settle(waiter, slot);
    } catch (error) {
      const failure = error instanceof Error ? error : new Error(messageOf(error), { cause: error });
      for (const waiter of asked) waiter.reject(failure);
    }
  }

  private settle({ minSlot, startedAt, resolve, reject }: Waiter, slot: Slot | null): void {
    // A tree without a slot counts as at slot 0.
    const isStuck = this.isStuck(minSlot - (slot ?? 0) > this.options.PROVER_MAX_WAIT_SLOTS);
    if (slot !== null && slot >= minSlot) {
      resolve();
      return;
    }
    const isTooLate = now() - startedAt >= this.options.PROVER_MAX_WAIT_MS;
    if (isStuck || isTooLate) reject(new TreeBehindError(slot, minSlot));
  }

  private pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = after(POLL_INTERVAL_MS, resolve);
      this.wake = () => {
        timer.cancel();
        resolve();
      };
    });
  }
}
