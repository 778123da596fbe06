import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { LocalServerError } from './errors';

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 20_000;

/**
 * Runs the server and ends it when our end of the pipe closes, however we end: nothing outlives us, not even after a
 * kill. A process group of its own keeps a Ctrl-C of the terminal away from it.
 */
const SUPERVISOR = `exec 4<&0
"$@" </dev/null 4<&- &
server=$!
(read -r _ <&4; kill -TERM $server) </dev/null >/dev/null 2>&1 &
watcher=$!
exec 4<&-
wait $server
code=$?
kill $watcher 2>/dev/null
exit $code`;

/** What to start, and how to see that it is ready. */
export interface Command {
  /** What messages call it. */
  name: string;
  program: string;
  args: string[];
  folder: string;
  /** Its own line that says it takes connections. */
  readyLine: RegExp;
  onLog: (line: string) => void;
}

/** A server that ends with us. */
export class SupervisedProcess {
  private readonly gone: Promise<void>;

  private constructor(private readonly supervisor: ChildProcess) {
    this.gone = new Promise((done) =>
      supervisor.once('exit', () => {
        // Where the supervisor alone was killed, the server would hold its port for ever.
        this.killGroup();
        done();
      }),
    );
  }

  /** Settles when the server is ready. @throws LocalServerError with the server's last lines when it is not to be */
  static async start(command: Command): Promise<SupervisedProcess> {
    const supervisor = spawn('/bin/sh', ['-c', SUPERVISOR, command.name, command.program, ...command.args], {
      cwd: command.folder,
      detached: true,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const started = new SupervisedProcess(supervisor);
    await waitUntilReady(supervisor, command);
    return started;
  }

  /** Ends the server as it likes to end. */
  async stop(): Promise<void> {
    this.supervisor.stdin?.destroy();
    const timer = setTimeout(() => {
      this.killGroup();
    }, STOP_TIMEOUT_MS);
    await this.gone;
    clearTimeout(timer);
  }

  /** Ends the server at once, as a crash would. */
  async kill(): Promise<void> {
    this.killGroup();
    await this.gone;
  }

  /** Settles when the server is gone, wanted or not. */
  whenGone(): Promise<void> {
    return this.gone;
  }

  /** Supervisor, server and watcher are one process group. */
  private killGroup(): void {
    const { pid } = this.supervisor;
    if (pid === undefined) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // Nobody is left in it.
    }
  }
}

/** @throws LocalServerError that names the command which installs what is missing */
export function requireProgram(program: string, install: string): void {
  const { error } = spawnSync(program, ['--version'], { stdio: 'ignore' });
  if (error) throw new LocalServerError(`${program} is missing: ${install}`);
}

function waitUntilReady(supervisor: ChildProcess, { name, folder, readyLine, onLog }: Command): Promise<void> {
  return new Promise((ready, fail) => {
    const lines: string[] = [];
    const giveUp = (why: string) => {
      clearTimeout(timer);
      supervisor.stdin?.destroy();
      fail(new LocalServerError(`${name} in ${folder} ${why}: ${lines.slice(-5).join(' | ')}`));
    };
    const timer = setTimeout(() => {
      giveUp('did not start in time');
    }, START_TIMEOUT_MS);
    supervisor.once('error', (error) => {
      giveUp(error.message);
    });
    supervisor.once('exit', () => {
      giveUp('ended at once');
    });
    let rest = '';
    supervisor.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      const found = (rest + chunk).split('\n');
      rest = found.pop() ?? '';
      for (const line of found.filter(Boolean)) {
        lines.push(line);
        onLog(line);
        if (!readyLine.test(line)) continue;
        clearTimeout(timer);
        ready();
      }
      if (lines.length > 100) lines.splice(0, lines.length - 10);
    });
  });
}
