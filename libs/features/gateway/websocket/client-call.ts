import { invalidRequest, type RpcFailure } from '../responses/rpc-failure';

/** A call in a frame of a client. */
export interface ClientCall {
  /** JSON text to echo. */
  id: string;
  method: string;
  /** Undefined if the member is missing. */
  params: unknown;
}

/** The content of a frame; `unreadable` if it is not a JSON object, and `notification` if nobody waits for an answer. */
export type ClientFrame =
  | { kind: 'call'; call: ClientCall }
  | { kind: 'invalid'; id: string; failure: RpcFailure }
  | { kind: 'notification' }
  | { kind: 'unreadable' };

/** Who subscribes waits for an answer. */
const NEEDS_ID = /subscribe$/i;

/** Reads a frame: one JSON-RPC object. Clients send notifications, such as `ping` of web3.js, to keep the connection open. */
export function readClientFrame(text: string): ClientFrame {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { kind: 'unreadable' };
  const members = new Map<string, unknown>(Object.entries(value));
  const [id = null, method] = [members.get('id'), members.get('method')];
  if (!members.has('id') && typeof method === 'string' && !NEEDS_ID.test(method)) return { kind: 'notification' };
  const isEchoable = typeof id === 'string' || id === null || Number.isSafeInteger(id);
  const invalid = (reason: string): ClientFrame => ({
    kind: 'invalid',
    id: isEchoable ? JSON.stringify(id) : 'null',
    failure: invalidRequest(reason),
  });
  if (!members.has('id')) return invalid('id is required');
  if (!isEchoable) return invalid('id must be a string, an integer or null');
  if (members.get('jsonrpc') !== '2.0') return invalid('jsonrpc must be "2.0"');
  if (typeof method !== 'string') return invalid('method must be a string');
  return { kind: 'call', call: { id: JSON.stringify(id), method, params: members.get('params') } };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
