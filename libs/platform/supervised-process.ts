import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { type Readable } from 'node:stream';

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 20_000;
/** Number of lines in the message of an error. */
const LAST_LINES = 5;

/** The server to start. */
export interface ServerCommand {
  program: string;
  args: readonly string[];
  /** Matches the line that the server writes once it accepts connections. */
  readyLine: RegExp;
  /** Called for each line, also after the server is ready. */
  onLog?: (line: string) => void;
  /** Where it writes its lines. The other output is that of this process, or of nothing. */
  logsTo?: 'stdout' | 'stderr';
  /** The signal that stops it. */
  signal?: 'INT' | 'TERM';
  /** Default: those of this process. */
  options?: Pick<SpawnOptions, 'cwd' | 'env' | 'uid' | 'gid'>;
  /** An open file that the server gets as descriptor 3. */
  file?: number;
}

/** How a process has ended. */
export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A server that stops with its parent process. */
export class SupervisedProcess {
  private readonly exit: Promise<Exit>;

  private constructor(private readonly supervisor: ChildProcess) {
    this.exit = new Promise((done) =>
      supervisor.once('exit', (code, signal) => {
        // If only the supervisor was killed, the server would keep its port.
        this.killGroup();
        done({ code, signal });
      }),
    );
  }

  /** Resolves when the server is ready. @throws Error with the reason and the server's last lines if it does not start */
  static async start(command: ServerCommand): Promise<SupervisedProcess> {
    const { program, args, logsTo = 'stdout', signal = 'TERM', options, file } = command;
    const outputs = logsTo === 'stdout' ? (['pipe', 'inherit'] as const) : (['ignore', 'pipe'] as const);
    const supervisor = spawn('/bin/sh', ['-c', supervisorScript(signal), program, program, ...args], {
      ...options,
      detached: true,
      stdio: ['pipe', ...outputs, file ?? 'ignore'],
    });
    const started = new SupervisedProcess(supervisor);
    try {
      await waitUntilReady(supervisor, supervisor[logsTo], command);
    } catch (error) {
      supervisor.stdin?.destroy();
      throw error;
    }
    return started;
  }

  /** Stops the server gracefully; kills it after a timeout. */
  async stop(): Promise<void> {
    this.supervisor.stdin?.destroy();
    const timer = setTimeout(() => {
      this.killGroup();
    }, STOP_TIMEOUT_MS);
    await this.exit;
    clearTimeout(timer);
  }

  /** Kills the server, like a crash. */
  async kill(): Promise<void> {
    this.killGroup();
    await this.exit;
  }

  /** Resolves when the server has exited, for any reason. */
  exited(): Promise<Exit> {
    return this.exit;
  }

  /** Kills the process group: supervisor, server and watcher. */
  private killGroup(): void {
    const { pid } = this.supervisor;
    if (pid === undefined) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // All its processes have exited.
    }
  }
}

/**
 * A shell script that runs its arguments as a server, and stops it when the parent process closes its end of the pipe to stdin,
 * even if that was killed. So the server never outlives its parent. It has a process group of its own, so that Ctrl-C in a
 * terminal does not reach it.
 *
 * @param signal repeated until the server has ended, because a server may ignore it in its first moments
 */
function supervisorScript(signal: 'INT' | 'TERM'): string {
  return `exec 4<&0
"$@" </dev/null 4<&- &
server=$!
(read -r _ <&4; while kill -${signal} $server; do sleep 1; done) </dev/null >/dev/null 2>&1 3<&- &
watcher=$!
exec 4<&-
wait $server
code=$?
kill $watcher 2>/dev/null
exit $code`;
}

/** Reads the output of a server. Resolves once the server accepts connections, and keeps reading. */
function waitUntilReady(
  server: ChildProcess,
  stream: Readable | null,
  { readyLine, onLog = () => undefined }: ServerCommand,
): Promise<void> {
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
