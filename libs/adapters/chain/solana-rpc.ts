import { isNativeError } from 'node:util/types';
import { FresnelError, messageOf } from '@fresnel/domain/primitives';
import { type Logger } from '@fresnel/platform';
import { type Backoff, pause } from './backoff';

export interface SolanaRpcOptions {
  /** May hold an API key, so it is never logged. */
  url: string;
  /** For one attempt. */
  timeoutMs: number;
  backoff: Backoff;
}

/** A node answered with a JSON-RPC error. */
export class RpcAnswerError extends FresnelError {
  readonly code = 'rpc-answer';
  readonly isRetryable = false;

  constructor(
    readonly rpcCode: number,
    message: string,
  ) {
    super(message);
  }
}

/** No answer came, or none that could be read. */
class NoAnswerError extends Error {
  constructor(
    message: string,
    /** What the node asked us to wait. */
    readonly retryAfterMs = 0,
  ) {
    super(message);
  }
}

export interface RpcCall<Result> {
  method: string;
  params: unknown[];
  /**
   * Reads the answer; what it throws for an answer that makes no sense counts as no answer.
   *
   * @param json the whole response, in which the result is the member `result`
   */
  parse: (result: unknown, json: string) => Result;
  /** Errors that no second attempt would change, and the caller wants to know. */
  finalCodes?: readonly number[];
  /** Without it, attempts go on until the signal says stop. */
  maxAttempts?: number;
}

/** Method or parameters are wrong: a bug here, or a node that lacks the method. */
const ALWAYS_FINAL = [-32600, -32601, -32602];
/** From this attempt on it is worth a warning. */
const NOTABLE_ATTEMPTS = 4;

/** JSON-RPC to a Solana node that may be slow, busy, behind or away. */
export class SolanaRpc {
  private requestId = 0;

  constructor(
    private readonly options: SolanaRpcOptions,
    private readonly logger: Logger,
  ) {}

  /**
   * Asks until there is an answer that can be read.
   *
   * @throws RpcAnswerError for final codes; whatever the last attempt failed with, where attempts are limited
   */
  async call<Result>(call: RpcCall<Result>, signal: AbortSignal): Promise<Result> {
    const { method, finalCodes = [], maxAttempts = Infinity } = call;
    const final = [...ALWAYS_FINAL, ...finalCodes];
    for (let attempt = 1; ; attempt++) {
      signal.throwIfAborted();
      try {
        return await this.attempt(call, signal);
      } catch (error) {
        signal.throwIfAborted();
        const isFinal = error instanceof RpcAnswerError && final.includes(error.rpcCode);
        if (isFinal || attempt >= maxAttempts) throw error;
        const level = attempt >= NOTABLE_ATTEMPTS ? 'warn' : 'debug';
        this.logger[level]({ method, attempt, reason: messageOf(error) }, 'node did not answer, asking again');
        const retryAfterMs = error instanceof NoAnswerError ? error.retryAfterMs : 0;
        await pause(attempt, this.options.backoff, signal, retryAfterMs);
      }
    }
  }

  private async attempt<Result>({ method, params, parse }: RpcCall<Result>, signal: AbortSignal): Promise<Result> {
    const id = ++this.requestId;
    const json = await this.post(JSON.stringify({ jsonrpc: '2.0', id, method, params }), signal);
    const answer = parseAnswer(json);
    if (answer.error !== undefined) throw toRpcAnswerError(answer.error);
    if (answer.id !== id) throw new NoAnswerError('the answer belongs to another request');
    return parse(answer.result, json);
  }

  private async post(body: string, signal: AbortSignal): Promise<string> {
    let response: Response;
    const { url, authorization } = splitUrl(this.options.url);
    const attempt = new TimedAttempt(signal, this.options.timeoutMs);
    try {
      response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...authorization },
        body,
        signal: attempt.signal,
      });
      if (response.ok) return await response.text();
      await response.body?.cancel();
    } catch (error) {
      throw new NoAnswerError(reasonOf(error));
    } finally {
      attempt.end();
    }
    throw new NoAnswerError(`HTTP ${response.status}`, retryAfterMs(response.headers.get('retry-after')));
  }
}

/** Ends with the process or after a time. Made by hand: `AbortSignal.any` on a signal that lives long leaks in Node 20. */
class TimedAttempt {
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private readonly onAbort = () => {
    this.controller.abort(this.parent.reason);
  };

  constructor(
    private readonly parent: AbortSignal,
    timeoutMs: number,
  ) {
    parent.addEventListener('abort', this.onAbort, { once: true });
    if (parent.aborted) this.onAbort();
    this.timer = setTimeout(() => {
      this.controller.abort(new Error(`no answer within ${timeoutMs} ms`));
    }, timeoutMs);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  end(): void {
    clearTimeout(this.timer);
    this.parent.removeEventListener('abort', this.onAbort);
  }
}

/** fetch hides what happened in the cause, and for a host of several addresses in the parts of that. */
function reasonOf(error: unknown): string {
  const cause = isNativeError(error) ? (error.cause ?? error) : error;
  const parts: unknown = isNativeError(cause) && 'errors' in cause ? cause.errors : null;
  return Array.isArray(parts) ? parts.map(messageOf).join(', ') : messageOf(cause);
}

/** fetch refuses a URL with a name and password, and repeats it in its error; they go into a header. */
function splitUrl(text: string): { url: string; authorization: Record<string, string> } {
  const url = new URL(text);
  const { username, password } = url;
  if (username === '' && password === '') return { url: text, authorization: {} };
  url.username = url.password = '';
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
  return { url: url.href, authorization: { authorization: `Basic ${credentials.toString('base64')}` } };
}

interface Answer {
  id?: unknown;
  result?: unknown;
  error?: unknown;
}

function parseAnswer(json: string): Answer {
  let answer: unknown;
  try {
    answer = JSON.parse(json);
  } catch {
    throw new NoAnswerError('the answer is not JSON');
  }
  if (typeof answer !== 'object' || answer === null) throw new NoAnswerError('the answer is no object');
  return answer;
}

function toRpcAnswerError(error: unknown): Error {
  if (typeof error !== 'object' || error === null || !('code' in error) || typeof error.code !== 'number') {
    return new NoAnswerError('the answer is an error without a code');
  }
  const message = 'message' in error && typeof error.message === 'string' ? error.message : 'no message';
  return new RpcAnswerError(error.code, `${message} (${error.code})`);
}

const LONGEST_RETRY_AFTER_S = 60;

/** Seconds, or a date, which we do not trust the clocks for. */
function retryAfterMs(header: string | null): number {
  const seconds = Number(header ?? 0);
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), LONGEST_RETRY_AFTER_S) * 1000 : 1000;
}
