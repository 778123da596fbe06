import { isNativeError } from 'node:util/types';
import { messageOf } from '@fresnel/domain/primitives';
import { readBody, toEndpoint } from '@fresnel/platform';
import { AnswerTooLargeError, NoAnswerError, readRefusal } from './rpc-answer';
import { TimedAttempt } from './timed-attempt';

/** Many times the largest block. */
const MAX_RESPONSE_BYTES = 128 * 2 ** 20;
/** More than a JSON-RPC error has. */
const MAX_REFUSAL_BYTES = 64 * 1024;

export interface PostLimits {
  timeoutMs: number;
  /** Maximum size of a response after decompression. A larger one is not read to its end. */
  maxResponseBytes?: number;
}

/**
 * Sends a JSON-RPC request to an endpoint.
 *
 * @param endpointUrl may contain credentials
 * @returns the parts of the body
 * @throws RpcAnswerError if the HTTP status is no success and the body is a JSON-RPC error; NoAnswerError
 */
export async function postToNode(
  endpointUrl: string,
  body: string,
  { timeoutMs, maxResponseBytes = MAX_RESPONSE_BYTES }: PostLimits,
  signal: AbortSignal,
): Promise<Uint8Array[]> {
  let response: Response;
  let refusal: Uint8Array[];
  const { url, headers } = toEndpoint(endpointUrl);
  const attempt = new TimedAttempt(signal, timeoutMs);
  try {
    response = await post(url, {
      headers: { 'content-type': 'application/json', ...headers },
      body,
      signal: attempt.signal,
    });
    if (response.ok) return await readBytes(response, maxResponseBytes, attempt.signal);
    refusal = await readBytes(response, MAX_REFUSAL_BYTES, attempt.signal).catch(() => []);
  } catch (error) {
    throw toNoAnswer(error);
  } finally {
    attempt.end();
  }
  const pauseMs = retryAfterMs(response.headers.get('retry-after'));
  const error = readRefusal(Buffer.concat(refusal).toString(), response.status, pauseMs);
  throw error ?? new NoAnswerError(`HTTP ${response.status}`, pauseMs, response.status);
}

const REDIRECTS = [301, 302, 307, 308];
const MAX_REDIRECTS = 3;

/**
 * Sends a request. Follows redirects with the same request: `fetch` follows some of them with GET. Credentials are sent to the
 * same host only.
 */
export async function post(url: string, init: { headers: Record<string, string>; body: string; signal: AbortSignal }) {
  let target = url;
  for (let redirects = 0; ; redirects++) {
    const headers = new Headers(init.headers);
    if (new URL(target).hostname !== new URL(url).hostname) headers.delete('authorization');
    const response = await fetch(target, { ...init, method: 'POST', headers, redirect: 'manual' });
    const location = REDIRECTS.includes(response.status) ? response.headers.get('location') : null;
    if (location === null || redirects === MAX_REDIRECTS) return response;
    await response.body?.cancel();
    target = new URL(location, target).href;
  }
}

/**
 * Reads a body. `fetch` decompresses it, so the limit applies to the decompressed bytes.
 *
 * @param signal that of the request
 * @param onPart called with each part
 * @returns the parts of the body
 * @throws AnswerTooLargeError if it is larger than `maxBytes`; the signal's reason
 */
export async function readBytes(
  response: Response,
  maxBytes: number,
  signal: AbortSignal,
  onPart: () => void = () => undefined,
): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of readBody(response, signal)) {
    size += chunk.length;
    onPart();
    if (size > maxBytes) throw new AnswerTooLargeError(`the response is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return chunks;
}

/** Why a request had no answer. */
export function toNoAnswer(error: unknown): NoAnswerError {
  return error instanceof NoAnswerError ? error : new NoAnswerError(reasonOf(error), 0, null, isReset(error));
}

/**
 * The reason is in the `cause` of an error of `fetch`; with several addresses per host, in the `errors` of the cause.
 */
function reasonOf(error: unknown): string {
  const cause = isNativeError(error) ? (error.cause ?? error) : error;
  const parts: unknown = isNativeError(cause) && 'errors' in cause ? cause.errors : null;
  return Array.isArray(parts) ? parts.map(messageOf).join(', ') : messageOf(cause);
}

/** Codes of a connection that the other side has closed. */
const RESET_CODES = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];

function isReset(error: unknown): boolean {
  const cause = isNativeError(error) ? error.cause : null;
  return isNativeError(cause) && 'code' in cause && RESET_CODES.includes(String(cause.code));
}

const MAX_RETRY_AFTER_S = 60;

/** The header `Retry-After` contains seconds or a date. A date counts as one second, because clocks may differ. */
export function retryAfterMs(header: string | null): number {
  const seconds = Number(header ?? 0);
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), MAX_RETRY_AFTER_S) * 1000 : 1000;
}
