import { type Logger } from './logger';

/** Past this the process ends whatever it is still doing; all it writes can be cut off anywhere. */
const DEADLINE_MS = 12_000;

/**
 * Aborts on SIGTERM and SIGINT. A second signal, or a shutdown that takes too long, ends the process at once with code 1.
 */
export function listenForShutdown(logger: Logger): AbortSignal {
  const controller = new AbortController();
  const onSignal = (name: string) => {
    if (controller.signal.aborted) {
      logger.warn({ signal: name }, 'second signal: ending at once');
      process.exit(1);
    }
    logger.info({ signal: name }, 'shutting down');
    setTimeout(() => {
      logger.error('shutdown took too long: ending at once');
      process.exit(1);
    }, DEADLINE_MS).unref();
    controller.abort();
  };
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
  return controller.signal;
}
