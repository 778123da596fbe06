import { FresnelError, messageOf } from '@fresnel/domain/primitives';
import { hasFailed, parseRawTransaction, type RawTransaction, wireOf } from './raw-transaction';
import { decodeTransaction } from './transaction.codec';
import { parseTransactionMeta, type TransactionMeta } from './transaction-meta';
import { findLoadedKeys, findWire, hasLostCalls, mayLackKeys, META } from './transaction-text';

/**
 * Finds out what a node has left out of a transaction. What it has not recorded is not the same as what there is not: without
 * inner instructions, a transaction looks as if it had no events.
 *
 * @param json an element of `transactions` in a `getBlock` result with base64 encoding
 * @returns the missing part; null if the transaction is whole, or has failed, so that nothing else matters
 * @throws MalformedBlockError if the text is not valid JSON
 */
export function findMissingPart(json: string): string | null {
  return isWhole(json) ? null : missingPartOf(parseRawTransaction(json), json);
}

/** See `findMissingPart`. */
export function missingPartOf(raw: RawTransaction, json: string): string | null {
  const { meta } = raw;
  if (hasFailed(raw)) return null;
  const wire = wireOf(raw);
  if (!wire) return 'not in base64';
  if (typeof meta !== 'object' || meta === null) return 'no meta';
  if (!('err' in meta)) return 'no err';
  if (!('innerInstructions' in meta) || !Array.isArray(meta.innerInstructions)) return 'no innerInstructions';
  if (hasLostCalls(json)) return 'no innerInstructions, although the logs have some';
  try {
    return findMissingKeys(wire, parseTransactionMeta(meta));
  } catch (error) {
    if (!(error instanceof FresnelError)) throw error;
    return messageOf(error);
  }
}

function findMissingKeys(wire: Buffer, { loadedAddresses }: TransactionMeta): string | null {
  const expected = countLookedUpKeys(wire);
  if (expected === null || expected === loadedAddresses.length) return null;
  return `${loadedAddresses.length} of ${expected} loadedAddresses`;
}

/** The keys that a transaction takes from lookup tables; null if it cannot be decoded. */
export function countLookedUpKeys(wire: Buffer): number | null {
  try {
    return decodeTransaction(wire).lookedUpKeys;
  } catch (error) {
    if (!(error instanceof FresnelError)) throw error;
    return null;
  }
}

const PARTS = [META, '"err":null', '"innerInstructions":['];
/** Members of instructions in parsed form. */
const PARSED = '"programId":';

/** Whether the text has all parts for sure. */
function isWhole(json: string): boolean {
  const hasParts = findWire(json) !== null && PARTS.every((part) => json.includes(part)) && !json.includes(PARSED);
  return hasParts && !hasLostCalls(json) && !mayLackKeys(json, findLoadedKeys(json));
}
