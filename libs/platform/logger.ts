import { isatty } from 'node:tty';
import { type LoggerService } from '@nestjs/common';
import pino, { type Logger } from 'pino';
import pretty from 'pino-pretty';

export { type Logger } from 'pino';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * One JSON object a line on stderr, or coloured lines on a terminal. Values go into the object, the sentence is fixed:
 * `log.info({ slot }, 'state update persisted')`.
 */
export function createLogger(level: LogLevel): Logger {
  const options = { level, base: undefined, serializers: { error: pino.stdSerializers.errWithCause } };
  if (!isatty(2)) return pino(options, pino.destination(2));
  return pino(options, pretty({ destination: 2, sync: true, translateTime: 'SYS:HH:MM:ss.l', ignore: 'pid,hostname' }));
}

/** Nest's own messages, at debug level: they name modules and routes. */
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
    error: (message) => {
      logger.error(line(message));
    },
    fatal: (message) => {
      logger.fatal(line(message));
    },
  };
}
