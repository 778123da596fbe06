import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { messageOf } from '@fresnel/domain/primitives';
import { supervisorScript, waitUntilReady } from '@fresnel/platform';
import { LocalServerError } from './errors';

const STOP_TIMEOUT_MS = 20_000;

/** The server to start. */
export interface Command {
  /** Name in error messages. */
  name: string;
  program: string;
  args: string[];
  folder: string;
  /** The log line after which the server accepts connections. */
  readyLine: RegExp;
  onLog: (line: string) => void;
}

/** A server that stops with its parent process. */
export class SupervisedProcess {
  private readonly exit: Promise<void>;

  private constructor(private readonly supervisor: ChildProcess) {
    this.exit = new Promise((done) =>
      supervisor.once('exit', () => {
        // If only the supervisor was killed, the server would keep its port.
        this.killGroup();
        done();
      }),
    );
  }

  /** Resolves when the server is ready. @throws LocalServerError with the server's last lines when it exits before */
  static async start({ name, program, args, folder, readyLine, onLog }: Command): Promise<SupervisedProcess> {
    const supervisor = spawn('/bin/sh', ['-c', supervisorScript('TERM'), name, program, ...args], {
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
  exited(): Promise<void> {
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

/** @throws LocalServerError with the install command if the program is missing */
export function requireProgram(program: string, install: string): void {
  const { status } = spawnSync('/bin/sh', ['-c', 'command -v "$0"', program], { stdio: 'ignore' });
  if (status !== 0) throw new LocalServerError(`${program} is missing: ${install}`);
}
