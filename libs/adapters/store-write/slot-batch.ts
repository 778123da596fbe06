import { type PositionMove } from '@fresnel/adapters/store-schema';
import { type BlockRef } from '@fresnel/domain/chain';
import { type AccountFacts, type SlotEvents } from '@fresnel/domain/state';
import { type ChainTip } from './chain-tip.statement';

/** One slot and its account facts. */
export interface SlotUpdate {
  events: SlotEvents;
  facts: AccountFacts;
}

/** An orphaned block: everything that follows from it must be reverted. */
export interface SlotRevert {
  reverted: BlockRef;
}

export type SlotChange = SlotUpdate | SlotRevert;

/** The input of one database transaction: slots, and the move of the position over their messages. */
export interface SlotBatch {
  /** In message order: slots before a revert are applied before it. Between two reverts the order does not matter. */
  slots: readonly SlotChange[];
  chainTip: ChainTip | null;
  /** Null when the slots do not come from a bus. */
  position: PositionMove | null;
  /** Another batch follows at once: the indexed slot advances while that one is written. */
  isFollowed?: boolean;
}

/**
 * Why a slot was not applied.
 *
 * - `orphaned`: this block or its parent is orphaned
 * - `slot-conflict`: another block is stored for the slot, and was not reverted
 * - `conflicting-facts`: the slot contradicts facts about an account or a transaction that another slot stored; one of
 * the   two has to be reverted
 */
export type IgnoreReason = 'orphaned' | 'slot-conflict' | 'conflicting-facts';

export interface IgnoredSlot {
  update: SlotUpdate;
  reason: IgnoreReason;
}

export interface PersistedBatch {
  /** The new indexed slot, for a batch that is followed by another one as of the batch before; null when it did not change. */
  indexedSlot: number | null;
  /** Slots that were not applied. */
  ignored: IgnoredSlot[];
  /** Reverted blocks that were stored. */
  reverted: BlockRef[];
}

/** A part of a batch: reverts, then the slots that follow them. Either can be empty. */
export interface Run {
  reverts: BlockRef[];
  updates: SlotUpdate[];
}

/** Splits a batch before each revert that follows a slot. */
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
