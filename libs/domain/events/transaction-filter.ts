import { type Pubkey, toBase58 } from '@fresnel/domain/primitives';
import { countLookedUpKeys } from './missing-part';
import { countLoadedKeys, findLoadedKeys, findWire, META, mayLackKeys } from './transaction-text';

/**
 * A cheap filter for most transactions of a block, over their JSON text: building the values of a text takes many times
 * as long as searching it.
 */
export class TransactionFilter {
  private readonly base58: string;
  /** How the key may be written in a transaction, depending on its offset. */
  private readonly base64: string[];

  constructor(key: Pubkey) {
    this.base58 = toBase58(key);
    this.base64 = base64Forms(key);
  }

  /**
   * Whether a transaction may name the key. True also for a text of an unexpected form.
   *
   * @param json an element of `transactions` in a `getBlock` result with base64 encoding
   */
  mayName(json: string): boolean {
    const wire = findWire(json);
    if (wire === null || json.includes('\\/') || json.includes('\\u')) return true;
    if (this.base64.some((form) => wire.includes(form))) return true;
    if (!json.includes(META)) return countLookups(wire) !== 0;
    const keys = findLoadedKeys(json);
    // Keys that the node has not recorded may be any.
    return keys.includes(this.base58) || (mayLackKeys(json, keys) && (countLookups(wire) ?? 0) > countLoadedKeys(keys));
  }
}

/** The keys that a transaction takes from lookup tables; null if it cannot be decoded. */
function countLookups(wire: string): number | null {
  return countLookedUpKeys(Buffer.from(wire, 'base64'));
}

const GROUP_BYTES = 3;
const GROUP_CHARACTERS = 4;

/** Base64 encodes groups of 3 bytes. These are the groups that the key fills, for each offset of the key in a group. */
function base64Forms(key: Pubkey): string[] {
  return Array.from({ length: GROUP_BYTES }, (_, offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), key]).toString('base64');
    const filled = Math.floor((offset + key.length) / GROUP_BYTES);
    return text.slice(offset === 0 ? 0 : GROUP_CHARACTERS, filled * GROUP_CHARACTERS);
  });
}
