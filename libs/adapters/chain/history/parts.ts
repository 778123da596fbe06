import { type Slot, toSlot } from '@fresnel/domain/primitives';
import { type SlotRange } from './history-source';

/**
 * The parts in which history is read and attested. They begin at multiples of their number of slots, so that every run has the same ones,
 * whatever it resumes after.
 *
 * ```
 *   range   107 ──────────────────────────── 124
 *   parts   107 ─ 109 │ 110 ─ 114 │ 115 ─ 119 │ 120 ─ 124      of 5 slots
 * ```
 */
export function* partsOf({ from, to }: SlotRange, partSlots: number): Generator<SlotRange, undefined> {
  for (let next = from; next <= to;) {
    const end = toSlot(Math.min(endOfPart(next, partSlots), to));
    yield { from: next, to: end };
    next = toSlot(end + 1);
  }
}

/** The first slot of the part with a slot. */
export function startOfPart(slot: Slot, partSlots: number): Slot {
  return toSlot(slot - (slot % partSlots));
}

/** The last slot of the part with a slot. */
export function endOfPart(slot: Slot, partSlots: number): Slot {
  return toSlot(startOfPart(slot, partSlots) + partSlots - 1);
}
