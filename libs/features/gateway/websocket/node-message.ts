import { redact } from '@fresnel/platform';

/** What the gateway has to know of a message of the node. */
export type NodeMessage =
  | { kind: 'result'; id: number; result: unknown; json: string }
  | { kind: 'error'; id: number; json: string }
  /** `ended`: the subscription that has ended with this notification. */
  | { kind: 'notification'; ended: number | null };

/** Answers and notifications of a signature are shorter. Of longer notifications nothing has to be known. */
const MAX_PARSED_CHARACTERS = 16_384;

/** Reads a message of the node; null if it is none that clients understand. */
export function readNodeMessage(text: string): NodeMessage | null {
  if (text.length > MAX_PARSED_CHARACTERS) return { kind: 'notification', ended: null };
  const message = parseObject(text);
  if (message === null) return null;
  const { id, method, params, result, error } = message;
  if (typeof method === 'string') return { kind: 'notification', ended: endedSubscription(method, params) };
  if (typeof id !== 'number') return null;
  const isError = error !== undefined && error !== null;
  const json = toJson(isError ? error : result);
  if (json === null) return null;
  return isError ? { kind: 'error', id, json: redact(json) } : { kind: 'result', id, result, json };
}

/** The node ends the subscription of a signature with the notification that the transaction is processed. */
function endedSubscription(method: string, params: unknown): number | null {
  if (method !== 'signatureNotification') return null;
  const { subscription, result } = toObject(params) ?? {};
  if (toObject(result)?.value === 'receivedSignature') return null;
  return typeof subscription === 'number' ? subscription : null;
}

/** Null if there is nothing to write, or it is nested too deeply. */
function toJson(value: unknown): string | null {
  if (value === undefined) return null;
  try {
    return JSON.stringify(value);
  } catch {
    return null;
  }
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    return toObject(JSON.parse(text));
  } catch {
    return null;
  }
}

function toObject(value: unknown): Record<string, unknown> | null {
  return typeof value === 'object' && value !== null ? { ...value } : null;
}
