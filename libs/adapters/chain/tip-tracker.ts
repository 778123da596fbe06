import { type Slot } from '@fresnel/domain/primitives';
import { wallClock } from '@fresnel/platform/time';
import { type ChainTip } from './block-source';

/** More slots per second than any cluster has. */
const MAX_SLOTS_PER_SECOND = 10;
/** Nodes of one cluster may differ by so many slots. */
const MARGIN_SLOTS = 1_000;

/**
 * The newest slot that a source has reported. A report that differs too much from it may belong to another cluster, or be
 * wrong: it counts only if the next report agrees. So a single wrong report changes nothing, and a tip that was wrong
 * nevertheless is corrected.
 */
export class TipTracker {
  private newest: ChainTip | null = null;
  /** A report that awaits the next one. */
  private candidate: ChainTip | null = null;

  /** Null before two reports agree. Reports that are a little lower do not lower it. */
  get tip(): ChainTip | null {
    return this.newest;
  }

  /** Adds a report. */
  report(slot: Slot, seenAt = new Date(wallClock())): void {
    const report = { slot, seenAt };
    if (this.newest && agree(this.newest, report)) this.accept(report, this.newest.slot);
    else if (this.candidate && agree(this.candidate, report)) this.accept(report, this.candidate.slot);
    else this.candidate = report;
  }

  private accept({ slot, seenAt }: ChainTip, least: Slot): void {
    this.newest = { slot: slot > least ? slot : least, seenAt };
    this.candidate = null;
  }
}

/** Whether two reports can be of the same cluster. */
function agree(earlier: ChainTip, later: ChainTip): boolean {
  const seconds = Math.max(later.seenAt.getTime() - earlier.seenAt.getTime(), 0) / 1000;
  const difference = later.slot - earlier.slot;
  return difference >= -MARGIN_SLOTS && difference <= MARGIN_SLOTS + seconds * MAX_SLOTS_PER_SECOND;
}
