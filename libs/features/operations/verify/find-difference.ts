import { isDeepStrictEqual } from 'node:util';

/** The first place at which two values differ. */
export interface ValueDifference {
  /** Such as `.items[3].lamports`; empty: the whole values. */
  at: string;
  values: [unknown, unknown];
}

/** Compares two JSON values. @returns null if they are equal */
export function findDifference(one: unknown, other: unknown, at = ''): ValueDifference | null {
  if (isDeepStrictEqual(one, other)) return null;
  if (Array.isArray(one) && Array.isArray(other)) {
    for (let index = 0; index < Math.max(one.length, other.length); index++) {
      // A missing element is null: undefined is no JSON.
      const found = findDifference(one[index] ?? null, other[index] ?? null, `${at}[${index}]`);
      if (found) return found;
    }
    if (one.length === other.length) return null;
  } else if (isObject(one) && isObject(other)) {
    for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
      const found = findDifference(one[name] ?? null, other[name] ?? null, `${at}.${name}`);
      if (found) return found;
    }
    // One has a member that is null, and the other lacks it.
    return null;
  }
  return { at, values: [one, other] };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
