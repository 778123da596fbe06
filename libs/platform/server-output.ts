import { type ChildProcess } from 'node:child_process';
import { type Readable } from 'node:stream';

const START_TIMEOUT_MS = 60_000;
/** Lines that a failure shows. */
const LAST_LINES = 5;

/** How a server that was started speaks. */
export interface ServerOutput {
  /** Where it writes its lines. */
  stream: Readable | null;
  /** Its own line that says it takes connections. */
  readyLine: RegExp;
  onLog: (line: string) => void;
}

/**
 * Reads what a server says, and goes on reading when it is ready.
 *
 * @returns settled when the server takes connections
 * @throws Error "ended at once: ", or what else happened, and its last lines
 */
export function untilReady(server: ChildProcess, { stream, readyLine, onLog }: ServerOutput): Promise<void> {
  return new Promise((ready, fail) => {
    const lines: string[] = [];
    const giveUp = (why: string) => {
      clearTimeout(timer);
      fail(new Error(`${why}: ${lines.join(' | ')}`));
    };
    const timer = setTimeout(() => {
      giveUp('did not start in time');
    }, START_TIMEOUT_MS);
    server.once('error', (error) => {
      giveUp(error.message);
    });
    // Not when it ends: its last lines, which say why, may still be on their way then.
    server.once('close', () => {
      giveUp('ended at once');
    });
    let rest = '';
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      const found = (rest + chunk).split('\n');
      rest = found.pop() ?? '';
      for (const line of found.filter(Boolean)) {
        lines.splice(0, lines.length - LAST_LINES + 1);
        lines.push(line);
        onLog(line);
        if (!readyLine.test(line)) continue;
        clearTimeout(timer);
        ready();
      }
    });
  });
}
