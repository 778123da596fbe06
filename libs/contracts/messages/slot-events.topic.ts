import { type SlotEvents } from '@fresnel/domain/state';
import { type Slot } from '@fresnel/domain/primitives';
import { SLOT_EVENTS_CODEC } from './codecs/slot-events.codec';
import { type SlotReverted } from './slot-reverted';
import { type Topic } from './topic';

/** What ingest tells the projectors. */
export type SlotEventsMessage =
  | { kind: 'slot'; events: SlotEvents }
  /** The source says that the chain has come this far; sent now and then, also when nothing else is. */
  | { kind: 'tip'; slot: Slot; seenAt: Date }
  | SlotReverted;

/** The consumers of `slot-events`. */
export const PROJECTOR_GROUP = 'projector';

/**
 * One record for each slot, also for slots without compression, and a few about the chain's tip.
 *
 * Produced by ingest, consumed by projectors. Slots take turns among the partitions; they may be applied in any order.
 */
export const SLOT_EVENTS: Topic<SlotEventsMessage> = {
  name: 'slot-events',
  keyOf: (message) => String(slotOf(message)),
  partitionsOf: (message, partitionCount) => [slotOf(message) % partitionCount],
  codec: SLOT_EVENTS_CODEC,
};

function slotOf(message: SlotEventsMessage): Slot {
  return message.kind === 'slot' ? message.events.slot : message.slot;
}
