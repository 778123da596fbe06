import { isUtf8 } from 'node:buffer';
import { invalidRequest, PARSE_ERROR, type RpcFailure } from './rpc-failure';

/** A body as sent: one call, or a batch of them. */
export interface Message {
  isBatch: boolean;
  calls: readonly Call[];
}

/** An entry of a body: something to run, or the reason why it is none. */
export type Call = ReadableCall | UnreadableCall;

export interface ReadableCall {
  /** JSON text to echo. */
  id: string;
  method: string;
  /** Undefined where the member is missing. */
  params: unknown;
}

export interface UnreadableCall {
  id: string;
  failure: RpcFailure;
}

/** How a body has to be. */
export interface MessageRules {
  /** The method that the path names; every call must be to it. Null at the root. */
  pathMethod: string | null;
  maxBatchEntries: number;
}

const NULL_ID = 'null';

/** Reads a body, whatever it holds. Depth and size of its parts do not matter: only the outermost members are looked at. */
export function readMessage(body: Buffer, rules: MessageRules): Message {
  const parsed = parseJson(body);
  if (parsed === undefined) return unreadable(PARSE_ERROR);
  const { value } = parsed;
  if (!Array.isArray(value)) return { isBatch: false, calls: [readCall(value, rules)] };
  if (value.length === 0) return unreadable(invalidRequest('the batch is empty'));
  if (value.length > rules.maxBatchEntries) {
    return unreadable(invalidRequest(`the batch has more than ${rules.maxBatchEntries} entries`));
  }
  return { isBatch: true, calls: value.map((entry) => readCall(entry, rules)) };
}

function parseJson(body: Buffer): { value: unknown } | undefined {
  if (!isUtf8(body)) return undefined;
  try {
    return { value: JSON.parse(body.toString('utf8')) };
  } catch {
    return undefined;
  }
}

function unreadable(failure: RpcFailure): Message {
  return { isBatch: false, calls: [{ id: NULL_ID, failure }] };
}

function readCall(value: unknown, { pathMethod }: MessageRules): Call {
  const refuse = (why: string, id = NULL_ID): UnreadableCall => ({ id, failure: invalidRequest(why) });
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return refuse('not an object');
  const members = new Map<string, unknown>(Object.entries(value));
  if (!members.has('id')) return refuse('id is required');
  const id = echoOf(members.get('id'));
  if (id === null) return refuse('id must be a string, an integer or null');
  if (members.get('jsonrpc') !== '2.0') return refuse('jsonrpc must be "2.0"', id);
  const method = members.get('method');
  if (typeof method !== 'string') return refuse('method must be a string', id);
  if (pathMethod !== null && method !== pathMethod) return refuse('method is not the one of the path', id);
  return { id, method, params: members.get('params') };
}

/** The id as JSON text, null for one that cannot be echoed exactly. */
function echoOf(id: unknown): string | null {
  const isEchoable = typeof id === 'string' || id === null || Number.isSafeInteger(id);
  return isEchoable ? JSON.stringify(id) : null;
}
