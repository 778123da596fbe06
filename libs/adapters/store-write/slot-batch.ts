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

/** A block that was reverted and is on the chain after all: it may be stored again. */
export interface SlotAdoption {
  adopted: BlockRef;
}

export type SlotChange = SlotUpdate | SlotRevert | SlotAdoption;

/** The input of one database transaction: slots, and the move of the position over their messages. */
export interface SlotBatch {
  /** In message order: slots before a revert are applied before it. The order of slots between two reverts does not matter. */
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
 * - `not-on-branch`: the index has passed the slot, or starts after it, and this block is not on the indexed branch
 * - `conflicting-facts`: the slot contradicts facts about an account or a transaction that another slot stored; one of
 * the   two has to be reverted
 */
export type IgnoreReason = 'orphaned' | 'slot-conflict' | 'not-on-branch' | 'conflicting-facts';

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

/** Consecutive changes of a batch that are of the same kind. */
export type Run =
  | { kind: 'updates'; updates: SlotUpdate[] }
  | { kind: 'reverts'; blocks: BlockRef[] }
  | { kind: 'adoptions'; blocks: BlockRef[] };

/** Splits a batch into runs. */
export function toRuns(slots: readonly SlotChange[]): Run[] {
  const runs: Run[] = [];
  for (const slot of slots) {
    const last = runs.at(-1);
    if ('reverted' in slot) {
      if (last?.kind === 'reverts') last.blocks.push(slot.reverted);
      else runs.push({ kind: 'reverts', blocks: [slot.reverted] });
    } else if ('adopted' in slot) {
      if (last?.kind === 'adoptions') last.blocks.push(slot.adopted);
      else runs.push({ kind: 'adoptions', blocks: [slot.adopted] });
    } else if (last?.kind === 'updates') last.updates.push(slot);
    else runs.push({ kind: 'updates', updates: [slot] });
  }
  return runs;
}
