import { type TreeRepublication, type TreeRepublications } from '@fresnel/adapters/tree-store';
import { FresnelError, toBase58 } from '@fresnel/domain/primitives';
import { type Logger, retryUntilAvailable } from '@fresnel/platform';
import { now, sleep } from '@fresnel/platform/time';
import { type RepublicationParts, RepublishedTree } from './republished-tree';

export interface RepublisherOptions {
  /** Interval at which requests are looked for, and new blocks once the newest one is published. */
  intervalMs: number;
}

const LOG_INTERVAL_MS = 10_000;

/**
 * Publishes the operations of trees again, from a requested slot on until the tree lacks none. Several processes may publish
 * the same operations: provers ignore duplicates.
 */
export class TreeOperationsRepublisher {
  /** Requests that failed for good. They stay stored, and are served after the next start. */
  private readonly failed = new Set<string>();

  constructor(
    private readonly requests: Pick<TreeRepublications, 'list' | 'remove'>,
    private readonly parts: RepublicationParts,
    private readonly options: RepublisherOptions,
    private readonly logger: Logger,
  ) {}

  /** Whether a request is not served before the next start of the process. */
  hasFailed(request: TreeRepublication): boolean {
    return this.failed.has(nameOf(request));
  }

  /** Serves requests until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const requests = await this.retry(() => this.requests.list(), signal);
      for (const request of requests ?? []) await this.serve(request, signal);
      await this.pause(signal);
    }
  }

  /** The node may lack a block: that does not end the ingest that follows the chain. */
  private async serve(request: TreeRepublication, signal: AbortSignal): Promise<void> {
    if (this.hasFailed(request)) return;
    try {
      await this.publish(request, signal);
    } catch (error) {
      if (!(error instanceof FresnelError)) throw error;
      this.failed.add(nameOf(request));
      const values = { tree: toBase58(request.tree), fromSlot: request.fromSlot, reason: error.message };
      this.logger.error(values, 'operations of a tree cannot be published again until ingest is restarted');
    }
  }

  private async publish(request: TreeRepublication, signal: AbortSignal): Promise<void> {
    const values = { tree: toBase58(request.tree), fromSlot: request.fromSlot };
    const republished = new RepublishedTree(request, this.parts);
    this.logger.info(values, 'publishing the operations of a tree again');
    for (let loggedAt = now(); !signal.aborted;) {
      const state = await this.retry(() => republished.publishNext(signal), signal);
      if (state === 'waiting') await this.pause(signal);
      if (state === 'complete' || state === 'quarantined' || state === 'stalled') {
        await this.retry(() => this.requests.remove(request), signal);
        this.report(state, values);
        return;
      }
      if (now() - loggedAt < LOG_INTERVAL_MS) continue;
      loggedAt = now();
      this.logger.info({ ...values, slot: republished.nextSlot }, 'publishing the operations of a tree again');
    }
  }

  private report(state: 'complete' | 'quarantined' | 'stalled', values: object): void {
    if (state === 'complete') this.logger.info(values, 'operations of a tree published again');
    else if (state === 'quarantined') this.logger.error(values, 'tree is quarantined and has to be rebuilt');
    else this.logger.error(values, 'operations of a tree are missing before the slot from which they are published');
  }

  /** @returns null if the signal aborts */
  private async retry<Result>(act: () => Promise<Result>, signal: AbortSignal): Promise<Result | null> {
    try {
      return await retryUntilAvailable(act, { signal, logger: this.logger });
    } catch (error) {
      if (signal.aborted) return null;
      throw error;
    }
  }

  private async pause(signal: AbortSignal): Promise<void> {
    await sleep(this.options.intervalMs, signal).catch(() => undefined);
  }
}

function nameOf({ tree, newestId }: TreeRepublication): string {
  return `${toBase58(tree)} ${newestId}`;
}
