import {
  asFields,
  asList,
  asNumber,
  asSlot,
  asText,
  MalformedTextError,
  parseHash,
  type Slot,
} from '@fresnel/domain/primitives';
import { type Block, MalformedBlockError, type RawTransaction } from './block';
import { sliceArrayElements } from './json-slices';

/**
 * Parses a `getBlock` result. Its transactions are not parsed.
 *
 * @param result the output of `JSON.parse`
 * @param json the JSON text that contains the result
 * @param path member names that lead to the result in that text
 * @throws MalformedBlockError
 */
export function parseBlock(slot: Slot, result: unknown, json: string, path: readonly string[]): Block {
  try {
    const fields = asFields(result);
    return {
      slot,
      parentSlot: asSlot(fields.parentSlot),
      blockhash: parseHash(asText(fields.blockhash)),
      parentBlockhash: parseHash(asText(fields.previousBlockhash)),
      blockTime: asNumberOrNull(fields.blockTime),
      blockHeight: asNumberOrNull(fields.blockHeight),
      transactions: asTransactions(fields.transactions),
      textOf: createTextOf(json, [...path, 'transactions']),
    };
  } catch (error) {
    if (!(error instanceof MalformedTextError)) throw error;
    throw new MalformedBlockError(`block ${slot}: ${error.message}`, { cause: error });
  }
}

/** Slices the JSON text on the first call only: the texts of most blocks are never requested. */
function createTextOf(json: string, path: readonly string[]): Block['textOf'] {
  let texts: string[] | null = null;
  return (index) => {
    texts ??= sliceArrayElements(json, path);
    const text = texts.at(index);
    if (text === undefined) throw new MalformedBlockError(`the JSON text has no transaction ${index}`);
    return text;
  };
}

function asTransactions(value: unknown): RawTransaction[] {
  // Reading a member of any object is safe. The transaction parser checks the values.
  return asList(value).map((entry) => (typeof entry === 'object' && entry !== null ? entry : {}));
}

function asNumberOrNull(value: unknown): number | null {
  return value === null || value === undefined ? null : asNumber(value);
}
