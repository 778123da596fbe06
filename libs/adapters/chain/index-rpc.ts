import { JsonCursor } from '@fresnel/domain/events';
import { messageOf } from '@fresnel/domain/primitives';
import { type Logger, pauseAfter } from '@fresnel/platform';
import { sleep } from '@fresnel/platform/time';
import { NoAnswerError, RpcAnswerError } from './rpc-answer';
import { RpcUnavailableError, SolanaRpc } from './solana-rpc';

/** What an index has answered: a result with all digits of its numbers, or why there is none. */
export type IndexAnswer = { result: unknown } | { failure: string };

/** Of one request. An index answers within its own time limit, usually 10 s. */
const TIMEOUT_MS = 30_000;
/** More than a page of a thousand accounts with their data has. */
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;
/** Pauses after a refused rate that names none. */
const RATE_PAUSES = { firstMs: 1_000, longestMs: 30_000 };
const RATE_LIMIT_STATUSES = [429, 503];

/** Asks the gateway of an index of ZK Compression: of Fresnel, or of another indexer. */
export class IndexRpc {
  private readonly rpc: SolanaRpc;

  /** @param url may contain an API key, so it is never logged */
  constructor(
    url: string,
    private readonly logger: Logger,
  ) {
    const options = { urls: [url], timeoutMs: TIMEOUT_MS, backoff: RATE_PAUSES, maxResponseBytes: MAX_RESPONSE_BYTES };
    this.rpc = new SolanaRpc(options, logger);
  }

  /**
   * Sends a request once. If the rate of requests is refused, it waits as long as the index says, and sends it again.
   *
   * @throws the signal's reason
   */
  async ask(method: string, params: unknown, signal: AbortSignal): Promise<IndexAnswer> {
    for (let refusals = 1; ; refusals++) {
      try {
        const rules = { isFinal: () => true, isRead: true };
        return { result: await this.rpc.ask({ method, params, read: readExactly }, rules, signal) };
      } catch (error) {
        signal.throwIfAborted();
        const pauseMs = ratePauseOf(error);
        if (pauseMs === null) return { failure: describe(error) };
        this.logger.debug({ method, pauseMs }, 'the rate of requests is refused, waiting');
        await sleep(Math.max(pauseMs, pauseAfter(refusals, RATE_PAUSES)), signal);
      }
    }
  }
}

function describe(error: unknown): string {
  return error instanceof RpcAnswerError ? `error ${error.rpcCode}: ${error.message}` : messageOf(error);
}

/** @returns null if the failure is no refused rate */
function ratePauseOf(error: unknown): number | null {
  if (error instanceof RpcAnswerError) {
    return error.isRateLimit || error.httpStatus === 503 ? error.retryAfterMs : null;
  }
  const cause = error instanceof RpcUnavailableError ? error.cause : error;
  const isRefused = cause instanceof NoAnswerError && RATE_LIMIT_STATUSES.includes(cause.httpStatus ?? 0);
  return isRefused ? cause.retryAfterMs : null;
}

/** Reads a value as `JSON.parse` does, but integers that it would round as bigints. */
function readExactly(cursor: JsonCursor): unknown {
  const members: [string, unknown][] = [];
  if (cursor.visitMembers((name) => members.push([name, readExactly(cursor)]))) return Object.fromEntries(members);
  const elements: unknown[] = [];
  if (cursor.visitElements(() => elements.push(readExactly(cursor)))) return elements;
  const text = cursor.readText();
  const isLong = /^-?\d{16,}$/.test(text) && !Number.isSafeInteger(Number(text));
  return isLong ? BigInt(text) : JSON.parse(text);
}
