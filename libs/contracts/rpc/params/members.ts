import { InvalidParamsError } from './invalid-params.error';

/** Members of an object that the caller set; null counts as not set. */
export type Members = ReadonlyMap<string, unknown>;

/** Reads one value. @param field what to call it in a complaint @throws InvalidParamsError */
export type ReadValue<Value> = (value: unknown, field: string) => Value;

/**
 * Opens an object and refuses what does not belong there.
 *
 * @param field what to call the object in a complaint
 * @throws InvalidParamsError for anything but an object with some of these members
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

/** @throws InvalidParamsError also where the member is not set */
export function required<Value>(members: Members, name: string, read: ReadValue<Value>, field = name): Value {
  if (!members.has(name)) throw new InvalidParamsError(`${field} is required`);
  return read(members.get(name), field);
}

/** Null where the member is not set. */
export function optional<Value>(members: Members, name: string, read: ReadValue<Value>): Value | null {
  return members.has(name) ? read(members.get(name), name) : null;
}

const SHOWN_CHARACTERS = 40;

/** A caller's own text, quoted, and cut so that an error does not grow with the request. */
function shorten(text: string): string {
  return JSON.stringify(text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text);
}
