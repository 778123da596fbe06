/*
 * To search the JSON text of a transaction takes a small part of the time in which its values are built. A quote inside of a JSON
 * string would be escaped, so these are names of members.
 */

const TRANSACTION = '"transaction":["';
const LOADED_ADDRESSES = '"loadedAddresses":{';
const LEGACY = '"version":"legacy"';
export const META = '"meta":{';

/** @returns the transaction in base64; null if it is not found */
export function findWire(json: string): string | null {
  const name = json.indexOf(TRANSACTION);
  if (name === -1) return null;
  const start = name + TRANSACTION.length;
  const end = json.indexOf('"', start);
  return json.startsWith('","base64"]', end) ? json.slice(start, end) : null;
}

/** @returns the part of the text that has the keys from lookup tables; the whole text if the part is not found */
export function findLoadedKeys(json: string): string {
  // Nodes write this member near the end.
  const start = json.lastIndexOf(LOADED_ADDRESSES);
  return start === -1 ? json : json.slice(start, json.indexOf('}', start));
}

/**
 * Whether keys from lookup tables may be missing: the lists of writable or of read-only keys are empty, and the transaction may have
 * some.
 *
 * @param keys as found in it
 */
export function mayLackKeys(json: string, keys: string): boolean {
  const hasBoth = keys.startsWith(LOADED_ADDRESSES) && keys.indexOf('["') !== keys.lastIndexOf('["');
  return !json.includes(LEGACY) && !hasBoth;
}

/** The number of keys in the part of a text that has those from lookup tables. */
export function countLoadedKeys(keys: string): number {
  return keys.startsWith(LOADED_ADDRESSES) ? (keys.match(KEY)?.length ?? 0) : 0;
}

const KEY = /"[1-9A-HJ-NP-Za-km-z]{32,44}"/g;
/** A log line that the runtime writes when an instruction calls another one. Programs can write no such line. */
const CALL = /"Program [1-9A-HJ-NP-Za-km-z]{32,44} invoke \[2\]"/;

/** Whether the logs have a call, but no call is recorded: some nodes write an empty list instead of null. */
export function hasLostCalls(json: string): boolean {
  return json.includes('"innerInstructions":[]') && CALL.test(json);
}
