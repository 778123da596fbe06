import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf } from '@fresnel/domain/primitives';
import { registerSecret, toEndpoint } from '@fresnel/platform';
import { readBytes, retryAfterMs, toNoAnswer } from '../../post-to-node';
import { AnswerTooLargeError, NoAnswerError } from '../../rpc-answer';
import { TimedAttempt } from '../../timed-attempt';
import { domainOf } from '../history-client';
import { SnapshotError } from './snapshot-manifest';

/** A place with the files of a snapshot. Nothing that it gives is trusted. */
export interface SnapshotMirror {
  /** For logs and errors, without credentials. */
  readonly name: string;
  /**
   * Reads a whole file.
   *
   * @throws SnapshotError if it cannot have the file, NoAnswerError if another attempt may succeed
   */
  read(file: string, maxBytes: number, signal: AbortSignal): Promise<Buffer>;
}

/** @param url with the protocol `file:`, `http:` or `https:` */
export function openMirror(url: string, timeoutMs: number): SnapshotMirror {
  return url.startsWith('file:') ? new FolderMirror(fileURLToPath(url)) : new HttpMirror(url, timeoutMs);
}

class FolderMirror implements SnapshotMirror {
  constructor(readonly name: string) {}

  async read(file: string, maxBytes: number): Promise<Buffer> {
    const path = join(this.name, file);
    try {
      const { size } = await stat(path);
      if (size > maxBytes) throw new SnapshotError(`${path} has ${size} bytes, more than the ${maxBytes} expected`);
      return await readFile(path);
    } catch (error) {
      if (error instanceof SnapshotError) throw error;
      throw new SnapshotError(`cannot read ${path}: ${messageOf(error)}`, { cause: error });
    }
  }
}

/** Statuses from 400 to 499 after which the same request may succeed. */
const PASSING = [408, 425, 429];

/** Any web server or bucket that gives the files below a URL. It is asked for whole files, and may redirect. */
class HttpMirror implements SnapshotMirror {
  readonly name: string;

  constructor(
    private readonly url: string,
    private readonly timeoutMs: number,
  ) {
    registerSecret(url);
    this.name = domainOf(url);
  }

  async read(file: string, maxBytes: number, signal: AbortSignal): Promise<Buffer> {
    const { url, headers } = toEndpoint(this.url, file);
    const attempt = new TimedAttempt(signal, this.timeoutMs);
    try {
      // The hash is that of the file: it must arrive as it is.
      const init = { headers: { ...headers, 'accept-encoding': 'identity' }, signal: attempt.signal };
      const response = await fetch(url, init);
      this.check(response, file);
      const parts = await readBytes(response, maxBytes, attempt.signal, () => {
        attempt.resume();
      });
      return Buffer.concat(parts);
    } catch (error) {
      if (error instanceof SnapshotError) throw error;
      if (!(error instanceof AnswerTooLargeError)) throw toNoAnswer(error);
      throw new SnapshotError(`the ${file} of ${this.name} is larger than the ${maxBytes} bytes expected`);
    } finally {
      attempt.end();
    }
  }

  private check({ ok, status, headers }: Response, file: string): void {
    if (!ok && status >= 400 && status < 500 && !PASSING.includes(status)) {
      throw new SnapshotError(`${this.name} has no ${file}: HTTP ${status}`);
    }
    if (!ok) throw new NoAnswerError(`HTTP ${status}`, retryAfterMs(headers.get('retry-after')), status);
    if (headers.get('content-type')?.startsWith('text/html')) {
      throw new SnapshotError(`${this.name} answers with a page of HTML instead of ${file}`);
    }
    const encoding = headers.get('content-encoding') ?? 'identity';
    if (encoding !== 'identity') {
      throw new SnapshotError(
        `${this.name} sends ${file} with "Content-Encoding: ${encoding}": serve files as they are`,
      );
    }
  }
}
