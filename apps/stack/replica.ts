import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { type Logger } from '@fresnel/platform';
import { type ServiceName } from './replicas';

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;
/** Who ran so long is not failing at its start. */
const STEADY_MS = 30_000;
/** A service ends by itself well within this. */
const KILL_AFTER_MS = 10_000;

export interface ReplicaOptions {
  service: ServiceName;
  number: number;
  /** Its environment, complete. */
  env: NodeJS.ProcessEnv;
}

/** One process of a service, started again whenever it ends by itself. */
export class Replica {
  private child: ChildProcess | null = null;
  private pauseMs = FIRST_PAUSE_MS;
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;

  constructor(
    private readonly options: ReplicaOptions,
    private readonly logger: Logger,
  ) {}

  start(): void {
    const { service, number, env } = this.options;
    const startedAt = performance.now();
    const main = join(__dirname, '..', service, 'main.js');
    // A group of its own keeps a Ctrl-C of the terminal away from it, so that we end it in its turn; the channel tells it when
    // we are gone.
    const child = spawn(process.execPath, [main], {
      env,
      detached: true,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.child = child;
    this.logger.info({ service, number, pid: child.pid }, 'process started');
    child.once('exit', (code, signal) => {
      this.child = null;
      if (this.isStopped) return;
      if (performance.now() - startedAt > STEADY_MS) this.pauseMs = FIRST_PAUSE_MS;
      this.logger.error(
        { service, number, code, signal, againInMs: this.pauseMs },
        'a process ended, starting it again',
      );
      this.timer = setTimeout(() => {
        this.start();
      }, this.pauseMs);
      this.pauseMs = Math.min(this.pauseMs * 2, LONGEST_PAUSE_MS);
    });
  }

  /** Asks it to end, and ends it when it takes too long. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    const { child } = this;
    if (!child) return;
    const ended = new Promise((done) => child.once('exit', done));
    child.kill('SIGTERM');
    const kill = setTimeout(() => {
      this.logger.error({ service: this.options.service }, 'a process does not end by itself');
      child.kill('SIGKILL');
    }, KILL_AFTER_MS);
    await ended;
    clearTimeout(kill);
  }
}
