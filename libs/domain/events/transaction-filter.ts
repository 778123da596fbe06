import { type Pubkey, toBase58 } from '@fresnel/domain/primitives';

/**
 * A cheap filter for most transactions of a block, over their JSON text: building the values of a text takes many times
 * as long as searching it.
 */
export class TransactionFilter {
  /** How the key is written: in base58 among the loaded keys, and in base64 at any offset of the transaction. */
  private readonly forms: string[];

  constructor(key: Pubkey) {
    this.forms = [toBase58(key), ...base64Forms(key)];
  }

  /**
   * Whether a transaction may name the key. True also for a text of an unexpected form.
   *
   * @param json an element of `transactions` in a `getBlock` result with base64 encoding
   */
  mayName(json: string): boolean {
    return !isSearchable(json) || this.forms.some((form) => json.includes(form));
  }
}

/** Whether the text has the parts that name keys, unescaped. A quote inside of a JSON string would be escaped. */
function isSearchable(json: string): boolean {
  return (
    json.includes('"transaction":["') &&
    json.includes('","base64"]') &&
    json.includes('"meta":{') &&
    !json.includes('\\/') &&
    !json.includes('\\u')
  );
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
