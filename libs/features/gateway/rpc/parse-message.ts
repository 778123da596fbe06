import { isUtf8 } from 'node:buffer';
import { invalidRequest, PARSE_ERROR, type RpcFailure, TOO_MANY_REQUESTS } from '../responses/rpc-failure';

/** The JSON-RPC content of a request body: one call or a batch. */
export interface Message {
  isBatch: boolean;
  /** At least one. A body that cannot be read is one invalid call. */
  calls: readonly Call[];
}

export type Call = ValidCall | InvalidCall;

/** A call whose envelope is valid. The method may be unknown and the params are not checked. */
export interface ValidCall {
  /** JSON text to echo. */
  id: string;
  method: string;
  /** Undefined if the member is missing. */
  params: unknown;
}

export interface InvalidCall {
  /** JSON text to echo. */
  id: string;
  failure: RpcFailure;
}

export interface MessageRules {
  /** The method that the path names: every call must be to it. Null at the root. */
  pathMethod: string | null;
  maxBatchEntries: number;
}

const NULL_ID = 'null';

/** A body that is rejected before it is parsed. */
export const UNREAD_MESSAGE: Message = invalidMessage(TOO_MANY_REQUESTS);

/** Parses a request body. Checks the envelope of each call only, so the depth and size of the params do not matter. */
export function parseMessage(body: Buffer, rules: MessageRules): Message {
  const parsed = parseJson(body);
  if (parsed === undefined) return invalidMessage(PARSE_ERROR);
  const { value } = parsed;
  if (!Array.isArray(value)) return { isBatch: false, calls: [parseCall(value, rules)] };
  if (value.length === 0) return invalidMessage(invalidRequest('the batch is empty'));
  if (value.length > rules.maxBatchEntries) {
    return invalidMessage(invalidRequest(`the batch has more than ${rules.maxBatchEntries} entries`));
  }
  return { isBatch: true, calls: value.map((entry) => parseCall(entry, rules)) };
}

function parseJson(body: Buffer): { value: unknown } | undefined {
  if (!isUtf8(body)) return undefined;
  try {
    return { value: JSON.parse(body.toString('utf8')) };
  } catch {
    return undefined;
  }
}

function invalidMessage(failure: RpcFailure): Message {
  return { isBatch: false, calls: [{ id: NULL_ID, failure }] };
}

function parseCall(value: unknown, { pathMethod }: MessageRules): Call {
  const invalid = (reason: string, id = NULL_ID): InvalidCall => ({ id, failure: invalidRequest(reason) });
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return invalid('not an object');
  const { jsonrpc, id: rawId, method, params }: Partial<Record<string, unknown>> = { ...value };
  if (rawId === undefined) return invalid('id is required');
  const id = echoOf(rawId);
  if (id === null) return invalid('id must be a string, an integer or null');
  if (jsonrpc !== '2.0') return invalid('jsonrpc must be "2.0"', id);
  if (typeof method !== 'string') return invalid('method must be a string', id);
  if (pathMethod !== null && method !== pathMethod) return invalid('method does not match the path', id);
  return { id, method, params };
}

/** The id as JSON text; null if it cannot be echoed exactly. */
function echoOf(id: unknown): string | null {
  const isEchoable = typeof id === 'string' || id === null || Number.isSafeInteger(id);
  return isEchoable ? JSON.stringify(id) : null;
}
