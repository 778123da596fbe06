import 'reflect-metadata';
import { messageOf } from '@fresnel/domain/primitives';
import { ConfigError, reportCrashes, reportFailure, tuneGarbageCollection, VERSION } from '@fresnel/platform';
import { UsageError } from './commands/command';
import { COMMANDS } from './commands/commands';

const INVALID_USAGE = 2;

const HELP = `fresnel: an indexer for ZK Compression on Solana

${COMMANDS.map(({ name, synopsis, summary }) => `  ${`fresnel ${name} ${synopsis}`.padEnd(40)} ${summary}`).join('\n')}

"fresnel COMMAND --help" lists the options and environment variables of a command. docs/README.md is the index of the documentation.
"fresnel --version" prints the version.`;

/** @returns the exit code */
async function main(args: readonly string[]): Promise<number> {
  if (args[0] === '--version') return print(VERSION);
  const isHelpWanted = args.includes('--help') || args.includes('-h');
  const [first = 'start', ...rest] = args[0]?.startsWith('-') ? ['start', ...args] : args;
  if (isHelpWanted && (args.length === 1 || first === 'help')) return print(HELP);
  const command = COMMANDS.find(({ name }) => name === first);
  if (!command) throw new UsageError(`unknown command ${first}`);
  if (isHelpWanted) return print(`${`fresnel ${command.name} ${command.synopsis}`.trimEnd()}\n\n${command.help}`);
  return command.run(rest);
}

function print(text: string): number {
  console.log(text);
  return 0;
}

/** Prints the mistake of a command line, and reports any other error. @returns the exit code */
function report(error: unknown): number {
  const isUsage = error instanceof UsageError || isArgumentError(error);
  if (isUsage) console.error(`fresnel: ${messageOf(error)}\n"fresnel --help" lists the commands`);
  else reportFailure('fresnel', error);
  return isUsage || error instanceof ConfigError ? INVALID_USAGE : 1;
}

function isArgumentError(error: unknown): boolean {
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}

tuneGarbageCollection();
reportCrashes('fresnel');
main(process.argv.slice(2))
  .catch(report)
  .then((code) => process.exit(code), report);
