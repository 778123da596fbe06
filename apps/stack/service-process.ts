import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { type Logger } from '@fresnel/platform';
import { type ServiceName } from './replicas';
import { type RunningProcess } from './restarted-process';

/** A service needs much less than this to stop. */
const KILL_AFTER_MS = 10_000;

export interface ServiceProcessOptions {
  service: ServiceName;
  /** Number of the replica, from 0. */
  number: number;
  /** Its whole environment. */
  env: NodeJS.ProcessEnv;
}

/** Starts one replica of a service as a process. */
export function startService({ service, number, env }: ServiceProcessOptions, logger: Logger): RunningProcess {
  const main = join(__dirname, '..', service, 'main.js');
  // A process group of its own: a Ctrl-C in the terminal reaches the stack only, which stops services in order. The IPC
  // channel closes when the stack exits.
  const child = spawn(process.execPath, [main], {
    env,
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  logger.info({ service, number, pid: child.pid }, 'process started');
  const exited = new Promise<object>((done) => {
    child.once('exit', (code, signal) => {
      done({ code, signal });
    });
    child.once('error', (error) => {
      done({ error });
    });
  });
  return {
    exited: () => exited,
    stop: async () => {
      child.kill('SIGTERM');
      const kill = setTimeout(() => {
        logger.error({ service, number }, 'process does not stop, killing it');
        child.kill('SIGKILL');
      }, KILL_AFTER_MS);
      await exited;
      clearTimeout(kill);
    },
  };
}
