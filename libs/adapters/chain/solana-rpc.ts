import { type Commitment } from '@fresnel/domain/chain';
import { FresnelError, messageOf } from '@fresnel/domain/primitives';
import { type Backoff, type Logger, pauseAfter, reportProgress, retry } from '@fresnel/platform';
import { now } from '@fresnel/platform/time';
import { postToNode } from './post-to-node';
import { NoAnswerError, readAnswer, type ResultParser, RpcAnswerError } from './rpc-answer';
import { type FinalCodes, Refusals } from './rpc-refusals';

export interface SolanaRpcOptions {
  /** Endpoints of one chain, at least one. They may contain API keys, so they are never logged. */
  urls: readonly string[];
  /** Timeout of one attempt. */
  timeoutMs: number;
  /** Timeout of the first attempt at each endpoint if there are others: it may accept connections and never answer. */
  firstTimeoutMs?: number;
  backoff: Backoff;
  /** Maximum size of a response after decompression. A larger one is not read to its end. */
  maxResponseBytes?: number;
}

const FIRST_TIMEOUT_MS = 10_000;

/** All attempts of a request have failed. */
export class RpcUnavailableError extends FresnelError {
  readonly code = 'rpc-unavailable';
  readonly isRetryable = true;
}

export type RpcCall<Result> = RpcRequest & ResultParser<Result>;

interface RpcRequest {
  method: string;
  params: unknown;
  /** JSON-RPC error codes that are thrown once every endpoint has given one. Another endpoint may know better. */
  finalCodes?: FinalCodes;
  /** Default: retries until the signal aborts. */
  maxAttempts?: number;
  /** How long failed attempts are retried. Default: until the signal aborts. */
  retryForMs?: number;
}

/** From this attempt on, failures are logged as warnings. */
const NOTABLE_ATTEMPTS = 4;

/** A JSON-RPC client that retries requests to a Solana node, on its next endpoint if it has several. */
export class SolanaRpc {
  /** Called after each attempt. `outcome`: ok, the code of the JSON-RPC error, the HTTP status, or unavailable. */
  onAttempt: (method: string, outcome: string, seconds: number) => void = () => undefined;
  /** The commitment at which the cluster is read. */
  findCommitment: () => Promise<Commitment> = () => Promise.resolve('confirmed');
  private requestId = 0;
  /** Index of the endpoint that is called. It changes when an attempt fails. */
  private endpoint = 0;

  constructor(
    private readonly options: SolanaRpcOptions,
    private readonly logger: Logger,
  ) {}

  get endpointCount(): number {
    return this.options.urls.length;
  }

  /** A client for each endpoint alone, in the order of their configuration. */
  endpoints(): SolanaRpc[] {
    return this.options.urls.map((url) => {
      const client = new SolanaRpc({ ...this.options, urls: [url] }, this.logger);
      client.onAttempt = this.onAttempt;
      client.findCommitment = this.findCommitment;
      return client;
    });
  }

  /**
   * Sends a request until it succeeds. After a failure, the next endpoint is asked.
   *
   * @throws RpcAnswerError for final codes; RpcUnavailableError if attempts are limited, caused by the last refusal, or else by the
   * last failure
   */
  async call<Result>(call: RpcCall<Result>, signal: AbortSignal): Promise<Result> {
    const { method, maxAttempts = Infinity, retryForMs = Infinity } = call;
    const refusals = new Refusals(call.finalCodes ?? [], this.options.urls.length);
    const asked = new Set<number>();
    const startedAt = now();
    let endpoint = 0;
    const attempt = () => {
      endpoint = this.endpoint;
      const timeoutMs = this.timeoutOf(asked.has(endpoint));
      asked.add(endpoint);
      return this.measure(method, () => this.attempt(call, endpoint, timeoutMs, signal));
    };
    const onFailure = (thrown: unknown, count: number) => {
      signal.throwIfAborted();
      const error = withoutRateLimit(thrown);
      const refusal = error instanceof RpcAnswerError ? refusals.add(endpoint, error) : null;
      if (refusal) throw refusal;
      this.leave(endpoint);
      if (count >= maxAttempts || now() - startedAt >= retryForMs) throw unavailable(call, refusals.last ?? error);
      const level = count >= NOTABLE_ATTEMPTS ? 'warn' : 'debug';
      const values = { method, endpoint: endpoint + 1, attempt: count, reason: messageOf(error) };
      this.logger[level](values, 'RPC request failed, retrying');
      if (!asked.has(this.endpoint)) return 0;
      const retryAfterMs = error instanceof NoAnswerError ? error.retryAfterMs : 0;
      return Math.max(pauseAfter(count, this.options.backoff), retryAfterMs);
    };
    signal.throwIfAborted();
    return retry(attempt, { backoff: this.options.backoff, signal, onFailure });
  }

  /**
   * Sends a request of a client: asks each endpoint at most once, from the current one on, without a pause.
   *
   * @throws the last RpcAnswerError if an endpoint gave one, else RpcUnavailableError with the last reason
   */
  async ask<Result>(call: RpcCall<Result>, { isFinal, isRead }: AskingRules, signal: AbortSignal): Promise<Result> {
    const { urls } = this.options;
    // Other calls may move on meanwhile.
    const first = this.endpoint;
    let refusal: RpcAnswerError | null = null;
    for (let asked = 1; ; asked++) {
      const endpoint = (first + asked - 1) % urls.length;
      const attempt = () =>
        this.measure(call.method, () => this.attempt(call, endpoint, this.options.timeoutMs, signal));
      try {
        return await (isRead ? onFreshConnection(attempt) : attempt());
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof RpcAnswerError) refusal = error;
        const isKnown = error instanceof RpcAnswerError || error instanceof NoAnswerError;
        if (isKnown && isFinal(error)) throw refusal ?? unavailable(call, error);
        this.leave(endpoint);
        if (asked === urls.length) throw refusal ?? unavailable(call, error);
      }
    }
  }

  /** Asks another endpoint from now on, for a caller that knows that the answers of the current one are of no use. */
  moveOn(): void {
    this.leave(this.endpoint);
  }

  /** Concurrent calls may fail too: they move on from the same endpoint once. */
  private leave(endpoint: number): void {
    if (this.endpoint === endpoint) this.endpoint = (endpoint + 1) % this.options.urls.length;
  }

  private async measure<Result>(method: string, attempt: () => Promise<Result>): Promise<Result> {
    const startedAt = now();
    let outcome = 'ok';
    try {
      return await attempt();
    } catch (error) {
      outcome = outcomeOf(error);
      throw error;
    } finally {
      reportProgress();
      this.onAttempt(method, outcome, (now() - startedAt) / 1000);
    }
  }

  private timeoutOf(isAgain: boolean): number {
    const { urls, timeoutMs, firstTimeoutMs = FIRST_TIMEOUT_MS } = this.options;
    return isAgain || urls.length === 1 ? timeoutMs : Math.min(timeoutMs, firstTimeoutMs);
  }

  private async attempt<Result>(
    call: RpcCall<Result>,
    endpoint: number,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<Result> {
    const { method, params } = call;
    const id = ++this.requestId;
    const request = JSON.stringify({ jsonrpc: '2.0', id, method, params });
    const body = await postToNode(this.options.urls[endpoint], request, { ...this.options, timeoutMs }, signal);
    return readAnswer(Buffer.concat(body).toString(), id, call);
  }
}

/** How the endpoints are asked for a client. */
export interface AskingRules {
  /** Whether a failure is the answer, although another endpoint could be asked. */
  isFinal: (failure: RpcAnswerError | NoAnswerError) => boolean;
  /** Whether the request changes nothing, so that it can be repeated although the node may have seen it. */
  isRead: boolean;
}

/** Repeats an attempt once if its connection was closed. The client opens another one then. */
async function onFreshConnection<Result>(attempt: () => Promise<Result>): Promise<Result> {
  try {
    return await attempt();
  } catch (error) {
    if (error instanceof NoAnswerError && error.isReset) return attempt();
    throw error;
  }
}

function unavailable({ method }: { method: string }, error: unknown): RpcUnavailableError {
  return new RpcUnavailableError(`${method}: ${messageOf(error)}`, { cause: error });
}

/** A refused rate is no answer to a request, whatever its code means otherwise. */
function withoutRateLimit(error: unknown): unknown {
  if (!(error instanceof RpcAnswerError && error.isRateLimit)) return error;
  return new NoAnswerError(error.message, error.retryAfterMs, error.httpStatus);
}

function outcomeOf(error: unknown): string {
  if (error instanceof RpcAnswerError) return String(error.rpcCode);
  return error instanceof NoAnswerError && error.httpStatus !== null ? String(error.httpStatus) : 'unavailable';
}
