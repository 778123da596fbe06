import { type Slot, toSlot } from './brands';
import { MalformedTextError } from './errors';

/** A slot of parsed JSON. This function and those below throw MalformedTextError for a value of another type. */
export function asSlot(value: unknown): Slot {
  return toSlot(asNumber(value));
}

export function asSlots(value: unknown): Slot[] {
  return asList(value).map(asSlot);
}

export function asNumber(value: unknown): number {
  if (typeof value !== 'number') throw new MalformedTextError('expected a number');
  return value;
}

export function asText(value: unknown): string {
  if (typeof value !== 'string') throw new MalformedTextError('expected a string');
  return value;
}

export function asList(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw new MalformedTextError('expected an array');
  return value;
}

export function asFields(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new MalformedTextError('expected an object');
  return { ...value };
}
