import { type Logger } from './logger';

/** Past this the process ends whatever it is still doing; all it writes can be cut off anywhere. */
const DEADLINE_MS = 12_000;

/**
 * Aborts on SIGTERM and SIGINT, and when a parent that holds an IPC channel is gone. A second signal, or a shutdown that takes too long, ends the process at once with code 1.
 */
export function listenForShutdown(logger: Logger): AbortSignal {
  const controller = new AbortController();
  const begin = (reason: string) => {
    logger.info({ reason }, 'shutting down');
    setTimeout(() => {
      logger.error('shutdown took too long: ending at once');
      process.exit(1);
    }, DEADLINE_MS).unref();
    controller.abort();
  };
  const onSignal = (name: string) => {
    if (controller.signal.aborted) {
      logger.warn({ signal: name }, 'second signal: ending at once');
      process.exit(1);
    }
    begin(name);
  };
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
  if (process.connected) {
    process.once('disconnect', () => {
      if (!controller.signal.aborted) begin('the parent process is gone');
    });
    process.channel?.unref();
  }
  return controller.signal;
}
