import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { messageOf } from '@fresnel/domain/primitives';
import { waitUntilReady } from '@fresnel/platform';
import { LocalServerError } from './errors';

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

  /** Resolves when the server is ready. @throws LocalServerError with the server's last lines when it is not to be */
  static async start({ name, program, args, folder, readyLine, onLog }: Command): Promise<SupervisedProcess> {
    const supervisor = spawn('/bin/sh', ['-c', SUPERVISOR, name, program, ...args], {
      cwd: folder,
      detached: true,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const started = new SupervisedProcess(supervisor);
    try {
      await waitUntilReady(supervisor, { stream: supervisor.stdout, readyLine, onLog });
    } catch (error) {
      supervisor.stdin.destroy();
      throw new LocalServerError(`${name} in ${folder} ${messageOf(error)}`, { cause: error });
    }
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

  /** Resolves when the server has exited, for whatever reason. */
  exited(): Promise<void> {
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
