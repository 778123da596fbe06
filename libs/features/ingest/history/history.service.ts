import { type Bus } from '@fresnel/adapters/bus';
import { IncompleteTreesError } from '@fresnel/adapters/chain';
import { type HistoryStore, type ProjectionStore } from '@fresnel/adapters/store-write';
import { PROJECTOR_GROUP, SLOT_EVENTS } from '@fresnel/contracts/messages';
import { type BlockRef, type HistoryFinding, isChildOf } from '@fresnel/domain/chain';
import { FresnelError, keyOf, type Slot, toBase58, toSlot } from '@fresnel/domain/primitives';
import { type TreeInfo } from '@fresnel/domain/trees';
import { type Logger, pauseAfter } from '@fresnel/platform';
import { now, sleep } from '@fresnel/platform/time';
import { type HistoryCheck } from './history-check';
import { type HistoryHealer } from './history-healer';
import { countFindings, type HistoryMetrics } from './history.metrics';

export interface HistoryServiceParts {
  history: Pick<HistoryStore, 'findAnchor' | 'isChecked' | 'listFindings' | 'saveFindings' | 'saveProblem'>;
  tables: Pick<ProjectionStore, 'findIndexEnd' | 'findFirstSlot'>;
  bus: Pick<Bus, 'waitUntilApplied'>;
  check: Pick<HistoryCheck, 'run'>;
  /** Null: there is one source only. */
  healer: Pick<HistoryHealer, 'heal'> | null;
  /** The trees that transactions have named so far. */
  trees: () => readonly TreeInfo[];
  logger: Logger;
  metrics: HistoryMetrics;
}

/** When an index is compared again that was compared before: `fresnel backfill` always does, services if something was missing. */
export type HistoryRecheck = 'never' | 'if-incomplete' | 'always';

export interface HistoryServiceOptions {
  recheck: HistoryRecheck;
  /** How long a comparison that fails is repeated. */
  patienceMs: number;
}

/**
 * History has a slot that the tables refuse. A source without the links of blocks may give transactions of a block that is not on
 * the chain: then those of a block on the chain contradict them.
 */
class HistoryStandstillError extends FresnelError {
  readonly code = 'history-standstill';
  readonly isRetryable = true;

  constructor(indexed: Slot, next: Slot) {
    super(
      `the index stands still at slot ${indexed}: a slot before ${next} contradicts what is stored, as "slot ignored" in the log says. A source of HISTORY_URL may have given a block that is not on the chain. Begin a new index with an SQD Portal as the first source, which knows the blocks`,
    );
  }
}

const POLL_MS = 500;
/** Pauses before an attempt that has failed is repeated. */
const BACKOFF = { firstMs: 500, longestMs: 30_000 };
/** A tree that another source has completed shows the next hole, if there is one. */
const MAX_ROUNDS = 8;

/**
 * Waits until the index has passed the anchor, compares history with the chain, and has other sources fill in what is missing.
 *
 * ```
 *   indexed up to the anchor ──► compare ── nothing is missing ─────────────────────────► proofs are served
 *                                  ▲   └─ something is missing ──► ask the other sources
 *                                  └────── something was found ◄────┘      └─ nothing found ──► those trees stay closed
 * ```
 */
export class HistoryService {
  constructor(
    private readonly parts: HistoryServiceParts,
    private readonly options: HistoryServiceOptions,
  ) {}

  /** Ends when history is compared; at once if it was before. @throws the error of a comparison that fails for too long */
  async run(signal: AbortSignal): Promise<void> {
    try {
      const anchor = await this.waitForAnchor(signal);
      countFindings(this.parts.metrics, await this.retry(() => this.parts.history.listFindings(), signal));
      if (await this.retry(() => this.isDue(), signal)) await this.check(anchor, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  private async isDue(): Promise<boolean> {
    const { history } = this.parts;
    if (this.options.recheck === 'always' || !(await history.isChecked())) return true;
    return this.options.recheck === 'if-incomplete' && (await history.listFindings()).length > 0;
  }

  private async check({ slot: to }: BlockRef, signal: AbortSignal): Promise<void> {
    const from = (await this.parts.tables.findFirstSlot()) ?? toSlot(0);
    for (let round = 1; ; round++) {
      const findings = await this.compare([from, to], signal);
      await this.parts.history.saveFindings(findings);
      this.report(findings);
      if (findings.length === 0 || round === MAX_ROUNDS || !(await this.heal(findings, [from, to], signal))) return;
    }
  }

  /** What counts is missing in two comparisons: the chain may have switched branches while the first one was made. */
  private async compare(slots: readonly [Slot, Slot], signal: AbortSignal): Promise<HistoryFinding[]> {
    const run = () => this.retry(() => this.parts.check.run(slots, signal), signal, this.options.patienceMs);
    const first = await run();
    if (first.length === 0) return first;
    const isSame = (one: HistoryFinding) => (other: HistoryFinding) =>
      one.tree.equals(other.tree) && one.reason === other.reason;
    const second = await run();
    return second.filter((finding) => first.some(isSame(finding)));
  }

  /** @returns whether another source had something */
  private async heal(
    findings: readonly HistoryFinding[],
    slots: readonly [Slot, Slot],
    signal: AbortSignal,
  ): Promise<boolean> {
    const { healer, logger } = this.parts;
    if (!healer) return false;
    const infos = new Map(this.parts.trees().map((info) => [keyOf(info.tree), info]));
    try {
      return await this.retry(() => healer.heal(findings, infos, slots, signal), signal, this.options.patienceMs);
    } catch (error) {
      if (signal.aborted || !(error instanceof FresnelError)) throw error;
      const values = { reason: error.message };
      logger.error(
        values,
        'other sources cannot be asked for what history lacks: it is compared again at the next start',
      );
      return false;
    }
  }

  private report(findings: readonly HistoryFinding[]): void {
    const { logger, metrics } = this.parts;
    countFindings(metrics, findings);
    if (findings.length === 0) logger.info({}, 'history is complete: every tree has the state that the chain has');
    for (const { tree, reason, sequenceNumbers, slots } of findings) {
      const values = { tree: toBase58(tree), reason, sequenceNumbers: sequenceNumbers?.map(String) ?? null, slots };
      logger.error(values, 'history lacks something of a tree: its proofs are refused');
    }
  }

  private async waitForAnchor(signal: AbortSignal): Promise<BlockRef> {
    for (;;) {
      const anchor = await this.retry(() => this.parts.history.findAnchor(), signal);
      if (anchor && (await this.retry(() => this.hasReached(anchor, signal), signal, this.options.patienceMs)))
        return anchor;
      await sleep(POLL_MS, signal);
    }
  }

  /** @throws HistoryStandstillError if a slot below the anchor is missing, although all that was published after it is applied */
  private async hasReached(anchor: BlockRef, signal: AbortSignal): Promise<boolean> {
    const { tables, bus } = this.parts;
    const { indexed, above } = await tables.findIndexEnd(1);
    if (indexed && indexed.slot >= anchor.slot) return true;
    const next = above.at(0);
    if (!indexed || !next || isChildOf(next, indexed)) return false;
    await bus.waitUntilApplied(SLOT_EVENTS, PROJECTOR_GROUP, signal);
    const after = await tables.findIndexEnd(1);
    const isSame = after.indexed?.slot === indexed.slot && after.above.at(0)?.slot === next.slot;
    if (isSame) throw new HistoryStandstillError(indexed.slot, next.slot);
    return false;
  }

  /**
   * Repeats what may succeed later: while the node or the database is away, or while no node lists the trees, and patience lasts.
   *
   * @throws the signal's reason; the last error
   */
  private async retry<Result>(act: () => Promise<Result>, signal: AbortSignal, patienceMs = Infinity): Promise<Result> {
    let failingSince: number | null = null;
    for (let failures = 1; ; failures++) {
      try {
        return await act();
      } catch (error) {
        if (signal.aborted || !(error instanceof FresnelError)) throw error;
        const isOfNode = error instanceof IncompleteTreesError;
        if (isOfNode || error instanceof HistoryStandstillError) {
          this.parts.metrics.failedComparisons.inc();
          await this.retry(() => this.parts.history.saveProblem(error.message), signal);
        }
        failingSince ??= now();
        const isPatient = now() - failingSince < patienceMs && (error.isRetryable || patienceMs === Infinity);
        if (!isPatient || !(error.isRetryable || isOfNode)) throw error;
        this.parts.logger.warn({ reason: error.message }, 'history cannot be compared now');
      }
      await sleep(pauseAfter(failures, BACKOFF), signal);
    }
  }
}
