import { type TreeRepublication, type TreeRepublications } from '@fresnel/adapters/tree-store';
import { FresnelError, keyOf, toBase58 } from '@fresnel/domain/primitives';
import { type Logger, retryUntilAvailable } from '@fresnel/platform';
import { now, sleep } from '@fresnel/platform/time';
import { type RepublicationParts, RepublishedTree } from './republished-tree';

export interface RepublisherOptions {
  /** Interval at which requests are looked for, and new blocks once the newest one is published. */
  intervalMs: number;
}

const LOG_INTERVAL_MS = 10_000;

/** A request that is served. */
interface OpenRequest {
  request: TreeRepublication;
  republished: RepublishedTree;
  loggedAt: number;
}

/**
 * Publishes the operations of trees again, from a requested slot on until the tree lacks none. Requests are served by turns, because one
 * may have to wait for blocks. Several processes may publish the same operations: provers ignore duplicates.
 */
export class TreeOperationsRepublisher {
  /** Requests that failed for good. They stay stored, and are served after the next start. */
  private readonly failed = new Set<string>();
  /** By tree. Another request of the same tree has to wait, so that many of them do not begin again and again. */
  private open = new Map<string, OpenRequest>();

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
      const requests = (await this.retry(() => this.requests.list(), signal)) ?? [];
      this.open = new Map(requests.map((request) => [keyOf(request.tree), this.openRequest(request)]));
      let hasNext = false;
      for (const open of this.open.values()) hasNext = (await this.serve(open, signal)) || hasNext;
      if (!hasNext) await this.pause(signal);
    }
  }

  private openRequest(request: TreeRepublication): OpenRequest {
    const known = this.open.get(keyOf(request.tree));
    if (known && !this.hasFailed(known.request)) return known;
    if (!this.hasFailed(request)) this.logger.info(valuesOf(request), 'publishing the operations of a tree again');
    return { request, republished: new RepublishedTree(request, this.parts), loggedAt: now() };
  }

  /**
   * Publishes the next slots. The node may lack a block: that does not end the ingest that follows the chain.
   *
   * @returns whether there are further slots now
   */
  private async serve(open: OpenRequest, signal: AbortSignal): Promise<boolean> {
    const { request } = open;
    if (this.hasFailed(request)) return false;
    try {
      return await this.publish(open, signal);
    } catch (error) {
      if (!(error instanceof FresnelError)) throw error;
      this.failed.add(nameOf(request));
      const values = { ...valuesOf(request), reason: error.message };
      this.logger.error(values, 'operations of a tree cannot be published again until ingest is restarted');
      return false;
    }
  }

  private async publish(open: OpenRequest, signal: AbortSignal): Promise<boolean> {
    const { request, republished } = open;
    const values = valuesOf(request);
    const state = await this.retry(() => republished.publishNext(signal), signal);
    if (state === 'complete' || state === 'quarantined' || state === 'stalled') {
      await this.retry(() => this.requests.remove(request), signal);
      this.open.delete(keyOf(request.tree));
      this.report(state, values);
    } else if (now() - open.loggedAt >= LOG_INTERVAL_MS) {
      open.loggedAt = now();
      this.logger.info({ ...values, slot: republished.nextSlot }, 'publishing the operations of a tree again');
    }
    return state === 'publishing';
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

function valuesOf({ tree, fromSlot }: TreeRepublication) {
  return { tree: toBase58(tree), fromSlot };
}

function nameOf({ tree, newestId }: TreeRepublication): string {
  return `${toBase58(tree)} ${newestId}`;
}
