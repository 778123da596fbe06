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

/** An integer that is exact. */
export function asInteger(value: unknown): number {
  const integer = asNumber(value);
  if (!Number.isSafeInteger(integer)) throw new MalformedTextError('expected an integer below 2^53');
  return integer;
}

const MAX_U32 = 2 ** 32 - 1;

/** An unsigned integer of 32 bits, such as the index of a transaction in its block. */
export function asU32(value: unknown): number {
  const integer = asInteger(value);
  if (integer < 0 || integer > MAX_U32) throw new MalformedTextError('expected an unsigned integer of 32 bits');
  return integer;
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
