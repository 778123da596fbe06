import { type Endpoint, readBody, redact } from '@fresnel/platform';
import { post, readBytes, retryAfterMs, toNoAnswer } from './post-to-node';
import { NoAnswerError } from './rpc-answer';
import { isEmptyLine, splitLines } from './split-lines';
import { TimedAttempt } from './timed-attempt';

/** Several times the largest block. It is in memory until its end is known. */
const MAX_LINE_BYTES = 32 * 2 ** 20;
const MAX_REFUSAL_BYTES = 64 * 1024;
const MAX_REASON_LENGTH = 200;

export interface LineOptions {
  /** How long the server may send nothing. */
  timeoutMs: number;
  /** Called before the first line. */
  onHeaders: (headers: Headers) => void;
  /** Called with the size of each part of the body, after decompression. */
  onBytes: (bytes: number) => void;
}

/**
 * Sends a request whose answer is a list of lines, and gives them as they arrive. Time that the caller takes for a line does not
 * count.
 *
 * @returns the lines that are not empty
 * @throws NoAnswerError also after some lines; AnswerTooLargeError if a line is larger than any block
 */
export async function* postForLines(
  { url, headers }: Endpoint,
  body: string,
  { timeoutMs, onHeaders, onBytes }: LineOptions,
  signal: AbortSignal,
): AsyncIterable<string> {
  const attempt = new TimedAttempt(signal, timeoutMs);
  try {
    const init = { headers: { 'content-type': 'application/json', ...headers }, body, signal: attempt.signal };
    const response = await post(url, init);
    if (!response.ok) throw await toRefusal(response, attempt.signal);
    onHeaders(response.headers);
    for await (const line of splitLines(readParts(response, attempt, onBytes), MAX_LINE_BYTES)) {
      if (!isEmptyLine(line)) yield Buffer.concat(line).toString();
    }
  } catch (error) {
    throw toNoAnswer(error);
  } finally {
    attempt.end();
  }
}

async function* readParts(
  response: Response,
  attempt: TimedAttempt,
  onBytes: LineOptions['onBytes'],
): AsyncIterable<Buffer> {
  for await (const { buffer, byteOffset, length } of readBody(response, attempt.signal)) {
    attempt.suspend();
    onBytes(length);
    yield Buffer.from(buffer, byteOffset, length);
    attempt.resume();
  }
}

/** The body may say more than the status, and may repeat the URL. */
async function toRefusal(response: Response, signal: AbortSignal): Promise<NoAnswerError> {
  const parts = await readBytes(response, MAX_REFUSAL_BYTES, signal).catch(() => []);
  const reason = redact(Buffer.concat(parts).toString().trim()).slice(0, MAX_REASON_LENGTH);
  const pauseMs = retryAfterMs(response.headers.get('retry-after'));
  return new NoAnswerError(`HTTP ${response.status}${reason && `: ${reason}`}`, pauseMs, response.status);
}
