import { JsonCursor } from '@fresnel/domain/events';
import { FresnelError } from '@fresnel/domain/primitives';

/** The node returned a JSON-RPC error. */
export class RpcAnswerError extends FresnelError {
  readonly code = 'rpc-answer';
  readonly isRetryable = false;

  constructor(
    readonly rpcCode: number,
    message: string,
    /** The error object as the node wrote it. */
    readonly json: string,
    /** Of the response. */
    readonly httpStatus = 200,
    /** The pause from the `Retry-After` header. */
    readonly retryAfterMs = 0,
  ) {
    super(message);
  }

  /** Whether it refuses the rate of requests, and says nothing about this one. Some providers use codes of nodes for it. */
  get isRateLimit(): boolean {
    const tooMany = [this.httpStatus, this.rpcCode].includes(TOO_MANY_REQUESTS);
    return tooMany || /(request|rate) limit|too many requests/i.test(this.message);
  }
}

const TOO_MANY_REQUESTS = 429;

/** The node did not respond, or its response is invalid. */
export class NoAnswerError extends Error {
  constructor(
    message: string,
    /** The pause from the `Retry-After` header. */
    readonly retryAfterMs = 0,
    readonly httpStatus: number | null = null,
    /** Whether the connection was closed. If it was kept since an earlier request, the node may not have seen this one. */
    readonly isReset = false,
  ) {
    super(message);
  }
}

/** The response is larger than `maxResponseBytes`. */
export class AnswerTooLargeError extends NoAnswerError {}

/** How a result is read. If this throws, the request is retried. */
export type ResultParser<Result> =
  | { parse: (result: unknown) => Result }
  /** For large results. Reads the value at the cursor. */
  | { read: (result: JsonCursor) => Result };

/**
 * Reads a response from its text, so that large results need not be built. Skips a byte order mark; an error that is null is none.
 *
 * @throws RpcAnswerError, NoAnswerError, or what the reader of the result throws
 */
export function readAnswer<Result>(text: string, id: number, reader: ResultParser<Result>): Result {
  const json = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  const found: Answer & { result?: Result } = {};
  try {
    const cursor = new JsonCursor(json);
    cursor.visitMembers((name) => {
      if (name === 'result') found.result = readResult(cursor, reader);
      else if (name === 'error') found.error = cursor.skipNull() ? undefined : readJson(cursor);
      else if (name === 'id') found.id = cursor.readValue();
      else cursor.skip();
    });
    cursor.end();
  } catch (failure) {
    checkAnswer(parseAnswer(json), id); // an error explains more than a result that cannot be read
    throw failure;
  }
  checkAnswer(found, id);
  if (!('result' in found)) throw new NoAnswerError('the response has no result');
  return found.result as Result;
}

/**
 * The error in the body of a response whose HTTP status is no success.
 *
 * @returns null if there is no JSON-RPC error in it
 */
export function readRefusal(text: string, httpStatus: number, retryAfterMs: number): RpcAnswerError | null {
  try {
    readAnswer(text, NO_ID, {
      read: (cursor) => {
        cursor.skip();
      },
    });
  } catch (error) {
    if (error instanceof RpcAnswerError)
      return new RpcAnswerError(error.rpcCode, error.message, error.json, httpStatus, retryAfterMs);
  }
  return null;
}

/** The text of a value that is valid JSON. */
function readJson(cursor: JsonCursor): string {
  const json = cursor.readText();
  JSON.parse(json);
  return json;
}

function readResult<Result>(cursor: JsonCursor, reader: ResultParser<Result>): Result {
  return 'read' in reader ? reader.read(cursor) : reader.parse(cursor.readValue());
}

const BYTE_ORDER_MARK = '\ufeff';
/** No request has it. */
const NO_ID = -1;

interface Answer {
  id?: unknown;
  /** JSON text. */
  error?: string;
}

function parseAnswer(json: string): Answer {
  let answer: unknown;
  try {
    answer = JSON.parse(json);
  } catch {
    throw new NoAnswerError('the response is not JSON');
  }
  if (typeof answer !== 'object' || answer === null) throw new NoAnswerError('the response is not an object');
  const { id, error } = answer as { id?: unknown; error?: unknown };
  try {
    return { id, error: error === null ? undefined : JSON.stringify(error) };
  } catch (failure) {
    if (!(failure instanceof RangeError)) throw failure;
    throw new NoAnswerError('the error in the response is nested too deeply');
  }
}

/** @throws RpcAnswerError, NoAnswerError */
function checkAnswer(answer: Answer, id: number): void {
  if (answer.error !== undefined) throw toRpcAnswerError(answer.error);
  if (answer.id !== id) throw new NoAnswerError('the response belongs to another request');
}

function toRpcAnswerError(json: string): Error {
  const error: unknown = JSON.parse(json);
  if (typeof error !== 'object' || error === null || !('code' in error) || typeof error.code !== 'number') {
    return new NoAnswerError('the response is an error without a code');
  }
  const message = 'message' in error && typeof error.message === 'string' ? error.message : 'no message';
  return new RpcAnswerError(error.code, `${message} (${error.code})`, json);
}
