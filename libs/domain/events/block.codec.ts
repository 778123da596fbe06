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
 * Reads the frame of a `getBlock` result; its transactions stay as they are.
 *
 * @param result as `JSON.parse` gave it
 * @param json the whole text it came in
 * @param path member names that lead to the result inside that text
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

/** Most blocks are never asked for a text; the others are cut up once. */
function createTextOf(json: string, path: readonly string[]): Block['textOf'] {
  let texts: string[] | null = null;
  return (index) => {
    texts ??= sliceArrayElements(json, path);
    const text = texts.at(index);
    if (text === undefined) throw new MalformedBlockError(`the text of transaction ${index} is not where it should be`);
    return text;
  };
}

function asTransactions(value: unknown): RawTransaction[] {
  // Whatever an entry is, reading its members is safe; what they hold is checked by the parser.
  return asList(value).map((entry) => (typeof entry === 'object' && entry !== null ? entry : {}));
}

function asNumberOrNull(value: unknown): number | null {
  return value === null || value === undefined ? null : asNumber(value);
}
