import { MalformedBlockError } from '@fresnel/domain/events';
import { MalformedTextError, messageOf } from '@fresnel/domain/primitives';
import { type Backoff, type Logger, pauseAfter, redact, registerSecret, reportProgress } from '@fresnel/platform';
import { wait } from '@fresnel/platform/time';
import { ChainVersionError } from '../block-source';
import { AnswerTooLargeError, NoAnswerError, RpcAnswerError } from '../rpc-answer';
import { isRefusedStatus, UNSUPPORTED, VERSION_NOT_SUPPORTED } from '../rpc-refusals';
import { HistoryAnswerError, HistoryRefusedError, type HistoryUsage } from './history-source';

export interface HistoryClientOptions {
  /** May contain an API key. */
  url: string;
  /** How long the provider may send nothing. */
  timeoutMs: number;
  backoff: Backoff;
}

/** What is refused once may come from one of several servers behind the URL. */
const REFUSALS = 2;
/** Answers that contradict themselves in a row, before reading ends. */
const MAX_WRONG_ANSWERS = 5;
/** From this failure on, they are logged as warnings. */
const NOTABLE_FAILURES = 4;
const NO_KEY = /\bplan\b|upgrade|unauthorized|forbidden|api.?key/i;

/** Counts the requests to one provider, and decides what follows their failures. */
export class HistoryClient {
  readonly usage: HistoryUsage = { calls: 0, bytes: 0 };
  /** For logs and errors. */
  readonly name: string;

  /** @param service what the provider offers */
  constructor(
    service: string,
    readonly options: HistoryClientOptions,
    private readonly logger: Logger,
  ) {
    registerSecret(options.url);
    this.name = `${service} of ${domainOf(options.url)}`;
  }

  countCall(): void {
    this.usage.calls++;
    reportProgress();
  }

  countBytes(bytes: number): void {
    this.usage.bytes += bytes;
    reportProgress();
  }

  /**
   * Pauses after a request that has failed, so that it can be repeated.
   *
   * @param failures in a row
   * @throws if it is not worth repeating: HistoryRefusedError, ChainVersionError, HistoryAnswerError; the signal's reason
   */
  async recover(error: unknown, failures: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const final = this.findFinal(error, failures);
    if (final !== null) throw final;
    const level = failures >= NOTABLE_FAILURES ? 'warn' : 'debug';
    const reason = redact(messageOf(error));
    this.logger[level]({ source: this.name, attempt: failures, reason }, 'request for history failed, retrying');
    const known = error instanceof NoAnswerError || error instanceof RpcAnswerError;
    const backoff = { ...this.options.backoff, isRandom: true };
    await wait(Math.max(pauseAfter(failures, backoff), known ? error.retryAfterMs : 0), signal);
    signal.throwIfAborted();
  }

  /** @returns the error to throw; null if the request may succeed later */
  private findFinal(error: unknown, failures: number): Error | null {
    if (isWrongAnswer(error)) return failures < MAX_WRONG_ANSWERS ? null : this.wrongAnswer(error);
    const isSure = failures >= REFUSALS;
    if (error instanceof NoAnswerError) return isSure && isRefusedStatus(error.httpStatus) ? this.refused(error) : null;
    if (!(error instanceof RpcAnswerError)) return error instanceof Error ? error : new Error(messageOf(error));
    if (error.isRateLimit || !isSure) return null;
    if (error.rpcCode === VERSION_NOT_SUPPORTED) return this.unknownVersion(error);
    const isRefusal =
      isRefusedStatus(error.httpStatus) || UNSUPPORTED.includes(error.rpcCode) || NO_KEY.test(error.message);
    return isRefusal ? this.refused(error) : null;
  }

  private wrongAnswer(error: Error): HistoryAnswerError {
    const advice =
      error instanceof AnswerTooLargeError ? '. Check that its URL in HISTORY_URL is that of such a service' : '';
    return new HistoryAnswerError(`${this.name}: ${redact(error.message)}${advice}`, { cause: error });
  }

  private refused(error: Error): HistoryRefusedError {
    const reason = redact(error.message);
    return new HistoryRefusedError(
      `${this.name} refuses the request: ${reason}. Check the URL, its key, and whether the plan includes this service`,
      { cause: error },
    );
  }

  private unknownVersion(error: Error): ChainVersionError {
    return new ChainVersionError(
      `${this.name} has a transaction version that this version of Fresnel cannot parse: update Fresnel`,
      { cause: error },
    );
  }
}

function isWrongAnswer(error: unknown): error is Error {
  return [HistoryAnswerError, MalformedBlockError, MalformedTextError, AnswerTooLargeError].some(
    (type) => error instanceof type,
  );
}

/** The last two labels of a host: those before may be keys. */
export function domainOf(url: string): string {
  const { hostname } = new URL(url);
  return /^[\d.]+$|\]$/.test(hostname) ? hostname : hostname.split('.').slice(-2).join('.');
}
