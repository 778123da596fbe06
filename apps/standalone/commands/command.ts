import { FresnelError } from '@fresnel/domain/primitives';

/** A subcommand of the command line. */
export interface Command {
  name: string;
  /** What stands behind the name: arguments. */
  synopsis: string;
  /** One line for the list of commands. */
  summary: string;
  /** Everything else that --help says. */
  help: string;
  /** @param args what stood behind the name @returns the exit code @throws UsageError */
  run(args: string[]): Promise<number>;
}

/** The command line is wrong; the message says how. */
export class UsageError extends FresnelError {
  readonly code = 'usage';
  readonly isRetryable = false;
}
