import { LOG_SERIALIZERS, type Logger } from '@fresnel/platform';
import pino from 'pino';

export interface LogLine extends Record<string, unknown> {
  level: string;
  msg: string;
}

/** A logger that appends every line to an array. @param lines the array */
export function captureLog(lines: LogLine[] = []): { logger: Logger; lines: LogLine[] } {
  const logger = pino(
    {
      level: 'trace',
      base: undefined,
      timestamp: false,
      formatters: { level: (level) => ({ level }) },
      serializers: LOG_SERIALIZERS,
    },
    { write: (line: string) => lines.push(JSON.parse(line) as LogLine) },
  );
  return { logger, lines };
}
