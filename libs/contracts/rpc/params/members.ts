import { InvalidParamsError } from './invalid-params.error';

/** The members of an object that are not null. */
export type Members = ReadonlyMap<string, unknown>;

/** Checks and converts one value. @param field its name in error messages @throws InvalidParamsError */
export type ReadValue<Value> = (value: unknown, field: string) => Value;

/**
 * Reads the members of an object.
 *
 * @param field its name in error messages
 * @param names the allowed members
 * @throws InvalidParamsError if the value is not an object or has other members
 */
export function readMembers(value: unknown, field: string, names: readonly string[]): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new InvalidParamsError(`${field} must be an object with ${names.join(', ')}`);
  }
  const members = new Map<string, unknown>(Object.entries(value));
  for (const name of members.keys()) {
    if (!names.includes(name)) throw new InvalidParamsError(`${field} has an unknown member ${shorten(name)}`);
  }
  for (const [name, member] of members) if (member === null) members.delete(name);
  return members;
}

/** @throws InvalidParamsError if the member is absent, null or malformed */
export function required<Value>(members: Members, name: string, read: ReadValue<Value>, field = name): Value {
  if (!members.has(name)) throw new InvalidParamsError(`${field} is required`);
  return read(members.get(name), field);
}

/** Null if the member is absent or null. */
export function optional<Value>(members: Members, name: string, read: ReadValue<Value>): Value | null {
  return members.has(name) ? read(members.get(name), name) : null;
}

const SHOWN_CHARACTERS = 40;

/** The caller's text, quoted and cut off: the length of an error must not depend on the request. */
function shorten(text: string): string {
  return JSON.stringify(text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text);
}
