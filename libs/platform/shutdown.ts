import { type Logger } from './logger';

/** Time limit of a shutdown after the drain. Then the process exits: every write can be interrupted safely. */
export const SHUTDOWN_DEADLINE_MS = 12_000;

/**
 * Aborts on SIGTERM, on SIGINT, when the terminal is closed, and when the parent process closes the IPC channel. A second signal, or
 * a shutdown that takes longer than the deadline, exits with code 1.
 *
 * @param drainMs how long the process serves requests after the signal
 */
export function listenForShutdown(logger: Logger, drainMs = 0): AbortSignal {
  const controller = new AbortController();
  const abort = (reason: string) => {
    logger.info({ reason }, 'shutting down');
    setTimeout(() => {
      logger.error('shutdown exceeded its deadline, exiting');
      process.exit(1);
    }, drainMs + SHUTDOWN_DEADLINE_MS).unref();
    controller.abort();
  };
  const onSignal = (name: string) => {
    if (controller.signal.aborted) {
      logger.warn({ signal: name }, 'second signal, exiting');
      process.exit(1);
    }
    abort(name);
  };
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
  // The system and the shell both report that the terminal is closed.
  process.on('SIGHUP', (name) => {
    if (!controller.signal.aborted) abort(name);
  });
  if (process.connected) {
    process.once('disconnect', () => {
      if (!controller.signal.aborted) abort('parent process exited');
    });
    process.channel?.unref();
  }
  return controller.signal;
}

/** Resolves when the signal aborts. */
export function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => {
      resolve();
    });
  });
}
