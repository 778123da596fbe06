import { type PositionMove } from '@fresnel/adapters/store-schema';
import { type BlockRef } from '@fresnel/domain/chain';
import { type AccountFacts, type SlotEvents } from '@fresnel/domain/state';
import { type ChainTip } from './indexed-slot.statement';

/** One slot with the facts that follow from it. */
export interface SlotUpdate {
  events: SlotEvents;
  facts: AccountFacts;
}

/** A block that the chain left: everything that came of it is to be taken back. */
export interface SlotRevert {
  reverted: BlockRef;
}

export type SlotChange = SlotUpdate | SlotRevert;

/** What is written in one transaction: slots and the step of the position that they are. */
export interface SlotBatch {
  /** Reverts stand where they were told: slots before one are applied before it. Between reverts any order will do. */
  slots: readonly SlotChange[];
  chainTip: ChainTip | null;
  /** Null where slots do not come from a bus. */
  position: PositionMove | null;
}

/**
 * Why a slot was not applied.
 *
 * - `abandoned`: the chain left this block, or the one before it
 * - `other-block`: the slot holds another block, which stands until it is reverted
 * - `contradicts-facts`: an account or a transaction of it is told by another slot already; one of the two has to be
 *   reverted
 */
export type IgnoreReason = 'abandoned' | 'other-block' | 'contradicts-facts';

export interface IgnoredSlot {
  update: SlotUpdate;
  reason: IgnoreReason;
}

export interface PersistedBatch {
  /** Null when it did not move. */
  indexedSlot: number | null;
  /** Slots of which nothing was written. */
  ignored: IgnoredSlot[];
  /** Those of the reverts whose block was there. */
  reverted: BlockRef[];
}

/** A stretch of a batch: reverts, then the slots that follow them. Either can be missing. */
export interface Run {
  reverts: BlockRef[];
  updates: SlotUpdate[];
}

/** Cuts a batch wherever a revert follows a slot. */
export function toRuns(slots: readonly SlotChange[]): Run[] {
  const runs: Run[] = [];
  for (const slot of slots) {
    let run = runs.at(-1);
    if (!run || ('reverted' in slot && run.updates.length > 0)) runs.push((run = { reverts: [], updates: [] }));
    if ('reverted' in slot) run.reverts.push(slot.reverted);
    else run.updates.push(slot);
  }
  return runs;
}
