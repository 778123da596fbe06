import { ProverUnavailableError, TreeBehindError } from '@fresnel/adapters/prover-client';
import { keyOf, messageOf, type Pubkey, type Slot } from '@fresnel/domain/primitives';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_INTERVAL_MS = 10;

export interface SlotWaitOptions {
  /** How long a request waits for a slot that the tree does not have yet. */
  maxWaitMs: number;
  /** A request waits only if the tree is at most this many slots behind it. A tree without a slot counts as at slot 0. */
  maxWaitSlots: number;
}

/** Reads the slot of a tree. */
type SlotReader = (tree: Pubkey) => Promise<Slot | null>;

/** Requests that wait for the slot of a tree. All requests of a tree share one watcher, which polls only while they wait. */
export class TreeSlotWatchers {
  /** By tree; only trees with waiting requests. */
  private readonly watchers = new Map<string, TreeSlotWatcher>();

  constructor(
    private readonly readSlot: SlotReader,
    private readonly options: SlotWaitOptions,
  ) {}

  /** The number of waiting requests. */
  get waiting(): number {
    return [...this.watchers.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /**
   * Resolves once the tree has the slot.
   *
   * @throws TreeBehindError at once if the tree is far behind, or after the maximum time
   * @throws ProverUnavailableError if the signal is aborted
   * @throws the error of reading the slot
   */
  waitForSlot(tree: Pubkey, minSlot: Slot, signal?: AbortSignal): Promise<void> {
    const key = keyOf(tree);
    let watcher = this.watchers.get(key);
    if (!watcher) {
      watcher = new TreeSlotWatcher(() => this.readSlot(tree), this.options);
      this.watchers.set(key, watcher);
      const waited = watcher.wait(minSlot, signal);
      void watcher.poll().finally(() => this.watchers.delete(key));
      return waited;
    }
    return watcher.wait(minSlot, signal);
  }
}

interface Waiter {
  minSlot: Slot;
  startedAt: number;
  resolve: () => void;
  reject: (error: Error) => void;
}

/** Polls the slot of one tree until no request waits. */
class TreeSlotWatcher {
  private readonly waiters = new Set<Waiter>();
  /** The result of the last poll. */
  private slot: Slot | null = null;

  constructor(
    private readonly readSlot: () => Promise<Slot | null>,
    private readonly options: SlotWaitOptions,
  ) {}

  get size(): number {
    return this.waiters.size;
  }

  wait(minSlot: Slot, signal?: AbortSignal): Promise<void> {
    if (this.slot !== null && this.slot >= minSlot) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        waiter.reject(new ProverUnavailableError('the request was aborted'));
      };
      const end = () => {
        signal?.removeEventListener('abort', onAbort);
        this.waiters.delete(waiter);
      };
      const waiter: Waiter = {
        minSlot,
        startedAt: performance.now(),
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
    });
  }

  /** Polls until no request waits. */
  async poll(): Promise<void> {
    while (this.waiters.size > 0) {
      const readAt = performance.now();
      try {
        this.slot = await this.readSlot();
        for (const waiter of this.waiters) this.settle(waiter, readAt);
      } catch (error) {
        const failure = error instanceof Error ? error : new Error(messageOf(error), { cause: error });
        for (const waiter of this.waiters) waiter.reject(failure);
      }
      if (this.waiters.size > 0) await sleep(POLL_INTERVAL_MS);
    }
  }

  /** @param readAt when the slot was read; a younger request waits for another poll */
  private settle({ minSlot, startedAt, resolve, reject }: Waiter, readAt: number): void {
    const { slot } = this;
    if (slot !== null && slot >= minSlot) {
      resolve();
      return;
    }
    const isFarBehind = minSlot - (slot ?? 0) > this.options.maxWaitSlots;
    const isTooLate = startedAt <= readAt && performance.now() - startedAt >= this.options.maxWaitMs;
    if (isFarBehind || isTooLate) reject(new TreeBehindError(slot, minSlot));
  }
}
