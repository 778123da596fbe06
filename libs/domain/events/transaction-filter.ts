import { type Pubkey, toBase58 } from '@fresnel/domain/primitives';

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
    if (wire === null || !json.includes('"meta":{') || json.includes('\\/') || json.includes('\\u')) return true;
    return this.base64.some((form) => wire.includes(form)) || findLoadedKeys(json).includes(this.base58);
  }
}

// A quote inside of a JSON string would be escaped, so these are names of members.
const TRANSACTION = '"transaction":["';
const LOADED_ADDRESSES = '"loadedAddresses":{';

/** @returns the transaction in base64; null if it is not found */
function findWire(json: string): string | null {
  const name = json.indexOf(TRANSACTION);
  if (name === -1) return null;
  const start = name + TRANSACTION.length;
  const end = json.indexOf('"', start);
  return json.startsWith('","base64"]', end) ? json.slice(start, end) : null;
}

/** @returns the part of the text that has the keys from lookup tables; the whole text if the part is not found */
function findLoadedKeys(json: string): string {
  // Nodes write this member near the end.
  const start = json.lastIndexOf(LOADED_ADDRESSES);
  return start === -1 ? json : json.slice(start, json.indexOf('}', start));
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
