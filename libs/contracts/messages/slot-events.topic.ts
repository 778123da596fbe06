import { type Slot } from '@fresnel/domain/primitives';
import { type SlotEvents } from '@fresnel/domain/state';
import { SLOT_EVENTS_CODEC } from './codecs/slot-events.codec';
import { type SlotEventsMessage } from './slot-events.message';
import { type Topic } from './topic';

/** Consumer group of `slot-events`. */
export const PROJECTOR_GROUP = 'projector';

/**
 * One record for each slot, also for slots without compression events, and records with the chain's tip.
 *
 * Produced by ingest, consumed by the projector. Slots are spread over the partitions; they can be applied in any order.
 */
export const SLOT_EVENTS: Topic<SlotEventsMessage> = {
  name: 'slot-events',
  keyOf: (message) => String(slotOf(message)),
  partitionsOf: (message, partitionCount) => [slotOf(message) % partitionCount],
  bytesOf: (message) => (message.kind === 'slot' ? bytesOfEvents(message.events) : 0),
  codec: SLOT_EVENTS_CODEC,
};

/** The JSON texts, which have one byte for each character. The events take about as much again. */
function bytesOfEvents({ transactions, deadLetters }: SlotEvents): number {
  return 2 * [...transactions, ...deadLetters].reduce((sum, { json }) => sum + json.length, 0);
}

function slotOf(message: SlotEventsMessage): Slot {
  return message.kind === 'slot' ? message.events.slot : message.slot;
}
