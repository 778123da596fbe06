import { type Bus } from '@fresnel/adapters/bus';
import {
  type BlockSource,
  type BranchQuestion,
  type FinalizedBranch,
  UnprovenBranchError,
} from '@fresnel/adapters/chain';
import { type IndexedBlock } from '@fresnel/adapters/store-write';
import {
  PROJECTOR_GROUP,
  PROVER_GROUP,
  SLOT_EVENTS,
  type SlotEventsMessage,
  TREE_UPDATES,
} from '@fresnel/contracts/messages';
import { blockKey, type BlockRef, MAX_FORK_DEPTH } from '@fresnel/domain/chain';
import { FresnelError, toSlot } from '@fresnel/domain/primitives';
import { type Logger, pauseAfter } from '@fresnel/platform';
import { wait } from '@fresnel/platform/time';
import { type FollowService } from '../follow/follow.service';
import { type Correction } from '../follow/published-blocks';
import { findLackedSlot, newestChanges } from '../follow/read-stored-state';
import { type SlotReader } from '../read/slot.reader';
import { type StoredBlock, type StoredBlocks } from './stored-blocks';

/** What repairing the index requires. */
export interface RepairParts {
  stored: StoredBlocks;
  source: BlockSource;
  bus: Bus;
  reader: SlotReader;
  /** The ingest that applies corrections between two published blocks. */
  follow: Pick<FollowService, 'correct'>;
}

/** Slots that are compared with the chain at once. */
const WINDOW_SLOTS = 64;
/** The longest pause between two comparisons that change nothing, in intervals. */
const LONGEST_PAUSE = 16;

/** A part of the chain that has to be compared, and the stored block that is the reason. */
interface Comparison extends BranchQuestion {
  known: readonly IndexedBlock[];
  reason: string;
}

/**
 * Compares what consumers have stored with the finalized chain when the two may differ, and repairs it.
 *
 * ```
 *   indexed    100 ── 101                            the index stands still
 *   stored              └── 102'   ·   104 ── 105    102' was published by an ingest that has ended, 103 was lost
 *   chain      100 ── 101 ── 102 ── 103 ── 104 ── …  102' is reverted, and the blocks after 101 are published again
 * ```
 *
 * - Orphaned blocks are reverted, and reverted blocks of the chain are adopted. Then all blocks after the fork point are published
 *   again: consumers may have ignored them.
 * - Blocks that are only missing are published again as a range.
 *
 * Several ingests may do this at once: everything that they publish may be applied repeatedly.
 */
export class IndexRepairer {
  /** What the last repair compared, and how many repairs before it compared the same. */
  private last = { compared: '', repetitions: 0 };
  private reported = '';

  constructor(
    private readonly parts: RepairParts,
    private readonly intervalMs: number,
    private readonly logger: Logger,
  ) {}

  /** Repairs until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const backoff = { firstMs: this.intervalMs, longestMs: this.intervalMs * LONGEST_PAUSE };
      await wait(pauseAfter(this.last.repetitions + 1, backoff), signal);
      await this.repair(signal);
    }
  }

  /** Repairs what can be repaired now. */
  async repair(signal: AbortSignal): Promise<void> {
    const compared = [
      ...(await this.compareAll(() => this.findStandstill(), signal)),
      ...(await this.compareAll(() => this.findSuspect(), signal)),
    ].join();
    const isSame = compared !== '' && compared === this.last.compared;
    this.last = { compared, repetitions: isSame ? this.last.repetitions + 1 : 0 };
  }

  /** @returns the reasons of the comparisons */
  private async compareAll(find: () => Promise<Comparison | null>, signal: AbortSignal): Promise<string[]> {
    const reasons: string[] = [];
    try {
      for (;;) {
        const comparison = await this.confirm(find, signal);
        if (!comparison || reasons.includes(comparison.reason)) return reasons;
        reasons.push(comparison.reason);
        if (!(await this.compare(comparison, signal))) return reasons;
      }
    } catch (error) {
      if (!signal.aborted) this.report(error);
      return reasons;
    }
  }

  /** Consumers that have not applied everything look as if something was missing. So the second look counts. */
  private async confirm(find: () => Promise<Comparison | null>, signal: AbortSignal): Promise<Comparison | null> {
    const { bus } = this.parts;
    const before = await find();
    if (!before) return null;
    await bus.waitUntilApplied(TREE_UPDATES, PROVER_GROUP, signal);
    await bus.waitUntilApplied(SLOT_EVENTS, PROJECTOR_GROUP, signal);
    const after = await find();
    return after?.reason === before.reason ? after : null;
  }

  /** @returns whether more may be missing after the blocks that are published again */
  private async compare(comparison: Comparison, signal: AbortSignal): Promise<boolean> {
    const branch = await this.parts.source.readFinalized(comparison, signal);
    const first = branch.blocks.at(0);
    if (!first) return false;
    const stored = await this.parts.stored.findBetween(first.parentSlot, branch.end);
    const correction = await this.findCorrection(comparison, branch, stored);
    if (!correction) return this.publishMissing(branch, stored, signal);
    await this.parts.follow.correct(correction, signal);
    return false;
  }

  /** The lowest block that the index should not have passed, and those soon after it. */
  private async findSuspect(): Promise<Comparison | null> {
    const { stored } = this.parts;
    const suspects = await stored.findSuspects();
    for (const lowest of suspects) {
      const known = await stored.findIndexed(lowest.slot - 1);
      const near = suspects.findLast(({ slot }) => slot < lowest.slot + WINDOW_SLOTS) ?? lowest;
      if (known.length > 0) return { known, upTo: near.slot, reason: `suspect ${blockKey(lowest)}` };
    }
    return null;
  }

  /** The blocks after the indexed one, if it is final and tables have blocks after it that are not linked to it. */
  private async findStandstill(): Promise<Comparison | null> {
    const { stored, source } = this.parts;
    const known = await stored.findIndexed();
    const tip = known.at(-1);
    const final = (source.tip?.slot ?? 0) - MAX_FORK_DEPTH;
    if (!tip || tip.slot >= final || !(await stored.hasAfter(tip.slot))) return null;
    return { known, upTo: toSlot(Math.min(tip.slot + WINDOW_SLOTS, final)), reason: `standstill ${blockKey(tip)}` };
  }

  /** @returns null if the stored blocks are on the chain, none of them was reverted, and trees have refused none */
  private async findCorrection(
    { known }: Comparison,
    branch: FinalizedBranch,
    stored: readonly StoredBlock[],
  ): Promise<Correction | null> {
    const { forkPoint, blocks } = branch;
    const orphaned = newestFirst(stored.filter((block) => block.state !== 'orphaned' && branch.excludes(block)));
    const adopted = blocks.filter((block) => isIn(stored, block, 'orphaned'));
    const isRefused = blocks.some((block) => isIn(stored, block, 'refused'));
    if (!forkPoint || (orphaned.length === 0 && adopted.length === 0 && !isRefused)) return null;
    const partitions = await this.parts.stored.listTreeBlocks();
    const lackedSlot = findLackedSlot(
      known.filter(({ slot }) => slot <= forkPoint.slot),
      partitions,
    );
    const end = Math.min(forkPoint.slot, lackedSlot - 1);
    const isBefore = ({ slot }: BlockRef) => slot <= end;
    const changes = newestFirst(partitions.flatMap((blocks) => newestChanges(blocks).filter(isBefore).slice(-1)));
    const last = known.findLast(isBefore);
    // What trees have refused follows a change that they lack. It comes after the newest one that all of them have.
    const lowest = isRefused || !last ? changes.at(-1) : undefined;
    const start = lowest ?? last ?? forkPoint;
    const applied = start === last ? known.filter(isBefore) : await this.parts.stored.findIndexed(start.slot);
    const newestChange = lowest ?? changes.at(0) ?? null;
    return { forkPoint, branch: applied.length > 0 ? applied : [start], newestChange, orphaned, adopted };
  }

  /** @returns whether blocks were missing, and were published */
  private async publishMissing(
    branch: FinalizedBranch,
    stored: readonly StoredBlock[],
    signal: AbortSignal,
  ): Promise<boolean> {
    const { source, bus, reader } = this.parts;
    const missing = new Set(branch.blocks.filter((block) => !isIn(stored, block, 'stored')).map(blockKey));
    if (missing.size === 0) return false;
    const messages: SlotEventsMessage[] = [];
    for await (const block of source.blocksFrom(branch.blocks[0].slot, signal)) {
      if (!branch.has(block)) return false; // the node has another branch now
      if (missing.has(blockKey(block))) {
        messages.push({ kind: 'slot', events: await reader.read(block, signal), isOfRange: true });
      }
      if (block.slot >= branch.end) break;
    }
    const values = { from: branch.blocks[0].slot, to: branch.end, blocks: messages.length };
    this.logger.warn(values, 'the index lacks blocks of the chain: publishing them again');
    await bus.publish(SLOT_EVENTS, messages, signal);
    return true;
  }

  /** Logs a failure once. The comparison is repeated. @throws an error that is a bug */
  private report(error: unknown): void {
    if (!(error instanceof FresnelError)) throw error;
    const { slot: awaitedSlot = null, endpoint = null } = error instanceof UnprovenBranchError ? error : {};
    const level = error.isRetryable ? 'warn' : 'error';
    if (error.message !== this.reported) {
      const values = { awaitedSlot, endpoint, reason: error.message };
      this.logger[level](values, 'stored blocks cannot be compared with the chain now');
    }
    this.reported = error.message;
  }
}

/** Each block once. */
function newestFirst(blocks: readonly BlockRef[]): BlockRef[] {
  const unique = new Map(blocks.map((block) => [blockKey(block), block]));
  return [...unique.values()].sort((a, b) => b.slot - a.slot);
}

function isIn(stored: readonly StoredBlock[], block: BlockRef, state: StoredBlock['state']): boolean {
  return stored.some((other) => other.state === state && blockKey(other) === blockKey(block));
}
