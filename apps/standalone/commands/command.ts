import { FresnelError } from '@fresnel/domain/primitives';

/** A subcommand of the command line. */
export interface Command {
  name: string;
  /** The arguments, as --help shows them. */
  synopsis: string;
  /** One line for the list of commands. */
  summary: string;
  /** The rest of the text of --help. */
  help: string;
  /** @param args the arguments after the name @returns the exit code @throws UsageError */
  run(args: string[]): Promise<number>;
}

/** The command line is wrong. The message describes the problem. */
export class UsageError extends FresnelError {
  readonly code = 'usage';
  readonly isRetryable = false;
}
