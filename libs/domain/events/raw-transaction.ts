import { messageOf } from '@fresnel/domain/primitives';
import { MalformedBlockError } from './block';

/** An unchecked entry of `transactions` in a `getBlock` result with base64 encoding. */
export interface RawTransaction {
  transaction?: unknown;
  meta?: unknown;
  /** The other form, see `writeExecutedTransaction`. */
  executed?: unknown;
}

/** @returns an empty object for a value that is not an object. @throws MalformedBlockError if the text is not valid JSON */
export function parseRawTransaction(json: string): RawTransaction {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new MalformedBlockError(`a transaction is not JSON: ${messageOf(error)}`, { cause: error });
  }
  return typeof value === 'object' && value !== null ? value : {};
}

/** The bytes of a transaction, null if they are not in base64. */
export function wireOf({ transaction }: RawTransaction): Buffer | null {
  const [text, encoding] = (Array.isArray(transaction) ? transaction : []) as readonly unknown[];
  return typeof text === 'string' && encoding === 'base64' ? Buffer.from(text, 'base64') : null;
}

/** Whether the chain reports an error of the transaction. False if the node does not tell. */
export function hasFailed({ meta }: RawTransaction): boolean {
  return typeof meta === 'object' && meta !== null && 'err' in meta && meta.err !== null;
}

/** Like `hasFailed`, for the text of a transaction. @throws MalformedBlockError if it is not valid JSON */
export function isFailedTransaction(json: string): boolean {
  return !json.includes('"err":null') && hasFailed(parseRawTransaction(json));
}
