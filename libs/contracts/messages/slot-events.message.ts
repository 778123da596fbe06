import { type BlockRef } from '@fresnel/domain/chain';
import { type Slot } from '@fresnel/domain/primitives';
import { type SlotEvents } from '@fresnel/domain/state';
import { type SlotAdopted } from './slot-adopted';
import { type SlotReverted } from './slot-reverted';

/** The events of a slot. */
export interface PublishedSlot {
  kind: 'slot';
  events: SlotEvents;
  /** Whether it was published with a range of slots: `tree-updates` may lack the tree changes of this slot. */
  isOfRange: boolean;
  /** The newest earlier block of the same branch that changes a tree; absent if none is known, and in a range of slots. */
  previousChange?: BlockRef;
}

/** A message of `slot-events`, from ingest to the projector. */
export type SlotEventsMessage =
  | PublishedSlot
  /** Newest slot of the chain, as the block source reports it; published at intervals, also between blocks. */
  | { kind: 'tip'; slot: Slot; seenAt: Date }
  | SlotReverted
  | SlotAdopted;
