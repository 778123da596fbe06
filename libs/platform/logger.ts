import { isatty } from 'node:tty';
import { type LoggerService } from '@nestjs/common';
import pino, { type DestinationStream, type Logger } from 'pino';
import pretty from 'pino-pretty';
import { redact } from './redaction';
import { serializeError } from './serialize-error';
import { VERSION } from './version';

export { type Logger } from 'pino';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

/** Lines that cannot be written wait up to this size. */
const MAX_UNWRITTEN_BYTES = 1024 * 1024;

/** Injection token of the application's logger. */
export const LOGGER = Symbol('Logger');

const logError = (error: unknown) => serializeError(error);

/** How every logger writes errors. */
export const LOG_SERIALIZERS = { error: logError, err: logError };

/** The members of every line that distinguish processes. */
let identity: { service: string; version: string } | undefined;

/** Lets all loggers that are created from now on name the service and the version in every line. */
export function identifyService(service: string): void {
  identity = { service, version: VERSION };
}

/** Returns further members of a line. */
let describeLine: (() => object) | undefined;

/** Lets all loggers that are created from now on add members to every line. @param describe called for each line */
export function addToLines(describe: () => object): void {
  describeLine = describe;
}

/**
 * Creates a logger that writes to stderr: a JSON object per line, or coloured text on a terminal. Values go into the object,
 * the message is constant: `logger.info({ slot }, 'state update persisted')`. Secret settings are removed.
 */
export function createLogger(level: LogLevel): Logger {
  const mixin = describeLine && { mixin: describeLine };
  const options = { level, base: identity, serializers: LOG_SERIALIZERS, ...mixin };
  const stderr = openStderr();
  if (!isatty(2)) return pino(options, redactLines(stderr));
  const terminal = { destination: stderr, translateTime: 'SYS:HH:MM:ss.l', ignore: 'service,version' };
  return pino(options, redactLines(pretty(terminal)));
}

/** Stderr. A line that cannot be written does not end the process: the disk of the log is full, or the terminal is closed. */
function openStderr() {
  // Lines that are written later are lost if the process is killed; and it would try to write them for ever if nothing reads them.
  const stderr = pino.destination({ dest: 2, sync: true, maxLength: MAX_UNWRITTEN_BYTES });
  return stderr.on('error', () => undefined);
}

function redactLines(destination: Pick<NodeJS.WritableStream, 'write'>): DestinationStream {
  return {
    write: (line) => {
      destination.write(redact(line));
    },
  };
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
