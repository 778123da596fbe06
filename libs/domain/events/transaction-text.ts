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

/** Whether keys from lookup tables may be missing: there are none, and the transaction may have some. @param keys as found in it */
export function mayLackKeys(json: string, keys: string): boolean {
  return !json.includes(LEGACY) && !(keys.startsWith(LOADED_ADDRESSES) && keys.includes('["'));
}
