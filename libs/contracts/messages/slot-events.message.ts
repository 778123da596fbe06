import { type Slot } from '@fresnel/domain/primitives';
import { type SlotEvents } from '@fresnel/domain/state';
import { type SlotReverted } from './slot-reverted';

/** A message of `slot-events`, from ingest to the projector. */
export type SlotEventsMessage =
  | { kind: 'slot'; events: SlotEvents }
  /** Newest slot of the chain, as the block source reports it; published at intervals, also between blocks. */
  | { kind: 'tip'; slot: Slot; seenAt: Date }
  | SlotReverted;
