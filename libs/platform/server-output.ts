import { type ChildProcess } from 'node:child_process';
import { type Readable } from 'node:stream';

const START_TIMEOUT_MS = 60_000;
/** Number of lines in the message of an error. */
const LAST_LINES = 5;

/** The output of a server process. */
export interface ServerOutput {
  /** Stdout or stderr. */
  stream: Readable | null;
  /** Matches the line that the server writes once it accepts connections. */
  readyLine: RegExp;
  /** Called for each line, also after the server is ready. */
  onLog: (line: string) => void;
}

/**
 * Reads the output of a server process. Resolves once the server accepts connections, and keeps reading.
 *
 * @throws Error with the reason and the last lines, if the server exits or does not start in time
 */
export function waitUntilReady(server: ChildProcess, { stream, readyLine, onLog }: ServerOutput): Promise<void> {
  return new Promise((resolve, reject) => {
    const lines: string[] = [];
    const rejectWith = (reason: string) => {
      clearTimeout(timer);
      reject(new Error(`${reason}: ${lines.join(' | ')}`));
    };
    const timer = setTimeout(() => {
      rejectWith('did not start in time');
    }, START_TIMEOUT_MS);
    server.once('error', (error) => {
      rejectWith(error.message);
    });
    // Emitted after 'exit' and after the last lines, which contain the reason.
    server.once('close', () => {
      rejectWith('exited at once');
    });
    let partialLine = '';
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      const chunkLines = (partialLine + chunk).split('\n');
      partialLine = chunkLines.pop() ?? '';
      for (const line of chunkLines.filter(Boolean)) {
        lines.splice(0, lines.length - LAST_LINES + 1);
        lines.push(line);
        onLog(line);
        if (!readyLine.test(line)) continue;
        clearTimeout(timer);
        resolve();
      }
    });
  });
}
