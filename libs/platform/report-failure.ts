import { isatty } from 'node:tty';
import { inspect } from 'node:util';
import { FresnelError } from '@fresnel/domain/primitives';
import { createLogger } from './logger';
import { redact } from './redaction';
import { serializeError } from './serialize-error';

/** Reports an error that ends the process: in the log, or as text on a terminal. Whatever `LOG_LEVEL` is, it is written. */
export function reportFailure(application: string, error: unknown): void {
  if (!isatty(2)) createLogger('fatal').fatal({ application, error }, 'process failed');
  else if (error instanceof FresnelError) console.error(redact(`${application}: ${error.message}`));
  else console.error(redact(inspect(serializeError(error))));
}

/**
 * Reports an error that nothing catches, and exits with code 1. So does a process that has nothing left to wait for and has not ended
 * its work: Node.js would exit with code 0.
 */
export function reportCrashes(application: string): void {
  process.once('beforeExit', () => {
    reportFailure(application, new Error('the process waits for something that cannot happen any more: this is a bug'));
    process.exit(1);
  });
  process.on('uncaughtException', (error) => {
    reportFailure(application, error);
    process.exit(1);
  });
}
