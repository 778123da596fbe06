import { isatty } from 'node:tty';
import { type LoggerService } from '@nestjs/common';
import pino, { type Logger } from 'pino';
import pretty from 'pino-pretty';

export { type Logger } from 'pino';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

/** Injection token of the application's logger. */
export const LOGGER = Symbol('Logger');

/**
 * Creates a logger that writes to stderr: a JSON object per line, or coloured text on a terminal. Values go into the object,
 * the message is constant: `logger.info({ slot }, 'state update persisted')`.
 */
export function createLogger(level: LogLevel): Logger {
  const options = { level, base: undefined, serializers: { error: pino.stdSerializers.errWithCause } };
  if (!isatty(2)) return pino(options, pino.destination(2));
  return pino(options, pretty({ destination: 2, sync: true, translateTime: 'SYS:HH:MM:ss.l', ignore: 'pid,hostname' }));
}

/** Nest logs an error under this name before it throws it. The caller reports the error, once. */
const RETHROWN = 'ExceptionHandler';

/** Writes Nest's own messages, which name modules and routes, at debug level. */
export function toNestLogger(logger: Logger): LoggerService {
  const line = (message: unknown) => String(message);
  return {
    log: (message) => {
      logger.debug(line(message));
    },
    debug: (message) => {
      logger.debug(line(message));
    },
    verbose: (message) => {
      logger.trace(line(message));
    },
    warn: (message) => {
      logger.warn(line(message));
    },
    error: (message, ...details: unknown[]) => {
      if (details.at(-1) !== RETHROWN) logger.error(line(message));
    },
    fatal: (message) => {
      logger.fatal(line(message));
    },
  };
}
